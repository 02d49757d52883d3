"""Why somebody is suggested."""

from datetime import UTC, datetime
from typing import Literal, NamedTuple, Self

from users.store import Person
from web.languages import own_name

Kind = Literal["friends", "tag", "language", "popular", "member"]


class Reason(NamedTuple):
    """As it is worked out and kept. `about`: the tag as somebody wrote it, the code of a language,
    the id of a friend; empty for the other kinds.
    """

    kind: Kind
    about: str = ""

    @property
    def friend(self) -> int | None:
        """One of those whom the reader follows, and who follow the suggested person."""
        return int(self.about) if self.kind == "friends" else None


class Candidate(NamedTuple):
    user_id: int
    reason: Reason

    def packed(self) -> str:
        return f"{self.reason.kind}:{self.reason.about}"

    @classmethod
    def unpacked(cls, user_id: str, text: str) -> Self:
        kind, _, about = text.partition(":")
        return cls(int(user_id), Reason(kind, about))  # type: ignore[arg-type] # as we packed it


class Suggestion(NamedTuple):
    """As it is shown, with what holds at this moment."""

    person: Person
    reason: Reason
    friends: int = 0  # whom the reader follows, and who follow the person
    friend: Person | None = None  # one of them

    @property
    def other_friends(self) -> int:
        return self.friends - 1

    @property
    def joined(self) -> datetime:
        return datetime.fromtimestamp(self.person.signup / 1000, UTC)

    @property
    def language(self) -> str:
        """As its speakers call it."""
        return own_name(self.reason.about).capitalize()
