"""What somebody said: first a draft, at last a saying with its place among all others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple


@dataclass(eq=False)
class Draft:
    author: int
    text: str
    age: float
    """In days."""

    answers: "Draft | None" = None
    topic: str = ""
    warning: str = ""
    place: tuple[float, float] | None = None
    appeal: float = 1.0
    """How much others like it, compared with other things that the author says."""

    before_edit: str = ""
    edited: float | None = None


class Saying(NamedTuple):
    author: int
    text: str
    age: timedelta
    answers: int | None
    """The place of what it answers, which is older and so comes before it."""

    warning: str
    place: tuple[float, float] | None
    appeal: float
    before_edit: str
    edited: timedelta | None


def in_order(drafts: Iterable[Draft]) -> list[Saying]:
    """The oldest first."""
    ordered = sorted(drafts, key=lambda draft: -draft.age)
    return _sayings(ordered)


def _sayings(ordered: Sequence[Draft]) -> list[Saying]:
    places = {id(draft): place for place, draft in enumerate(ordered)}
    return [
        Saying(
            author=draft.author,
            text=draft.text,
            age=timedelta(days=draft.age),
            answers=None if draft.answers is None else places[id(draft.answers)],
            warning=draft.warning,
            place=draft.place,
            appeal=draft.appeal,
            before_edit=draft.before_edit,
            edited=None if draft.edited is None else timedelta(days=draft.edited),
        )
        for draft in ordered
    ]
