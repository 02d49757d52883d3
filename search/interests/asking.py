"""What somebody who looks for people by interests asks for: `#python #redis lang:zh`."""

from collections.abc import Sequence
from typing import NamedTuple

from statuses.words.languages import shortened
from tags.interests.forms import split_tags
from tags.names import fold
from web.languages import OFFERED, own_name

# All combinations of three of six are twenty intersections.
MOST_TAGS = 6
MOST_LANGUAGES = 2
LANGUAGE = "lang:"


class Asked(NamedTuple):
    tags: list[str]  # folded
    languages: list[str]
    least: int  # how many of the tags somebody has at least
    # What can't be read, and what is too much.
    unread: list[str] = []
    left_out: list[str] = []

    @property
    def query(self) -> str:
        """As it can be typed again."""
        return " ".join(
            [*(f"#{it}" for it in self.tags), *(LANGUAGE + it for it in self.languages)]
        )

    @property
    def language_names(self) -> list[str]:
        return [own_name(it) for it in self.languages]


def asked_for(texts: Sequence[str], *, least: int | None = None) -> Asked:
    """Without `least`, all of them."""
    words = [word for text in texts for word in text.split()]
    codes = [word[len(LANGUAGE) :] for word in words if word.startswith(LANGUAGE)]
    written = [it for word in words if not word.startswith(LANGUAGE) for it in split_tags(word)]
    tags = {fold(it): None for it in written if fold(it)}
    languages = {shortened(it): None for it in codes if shortened(it) in OFFERED}
    shown, spoken = list(tags)[:MOST_TAGS], list(languages)[:MOST_LANGUAGES]
    return Asked(
        shown,
        spoken,
        min(max(1, least or len(shown)), len(shown)),
        unread=[it for it in written if not fold(it)]
        + [it for it in codes if shortened(it) not in OFFERED],
        left_out=[*tags][MOST_TAGS:] + [*languages][MOST_LANGUAGES:],
    )
