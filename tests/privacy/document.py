"""Writes the tables of docs/privacy.md: `python -m tests.privacy.document`."""

from collections.abc import Iterator
from pathlib import Path

from tests.privacy.rules import (
    PLACES,
    VIEWERS,
    VISIBILITIES,
    Account,
    Cell,
    Viewer,
    Visibility,
    verdict,
)

PAGE = Path(__file__).parents[2] / "docs" / "privacy.md"
BEGIN, END = "<!-- tables: python -m tests.privacy.document -->\n", "<!-- end of tables -->\n"
UNLESS_MUTED = "\\*"
TITLES: dict[Account, str] = {
    "open": "Open accounts",
    "private": "Private and silenced accounts",
}
MEMBERS = frozenset[Viewer](
    {"author", "follower", "muting", "former", "requested", "stranger", "moderator"}
)
NAMES: dict[frozenset[Viewer], str] = {
    MEMBERS | {"visitor"}: "everybody",
    MEMBERS: "members",
    frozenset({"author", "follower", "muting"}): "followers",
    frozenset({"author"}): "the author",
    frozenset({"moderator"}): "staff",
    # Where nobody asks who it is for, all get what visitors see.
    frozenset({"visitor"}): "everybody",
}


def tables() -> str:
    return "\n".join(_lines())


def page_with(tables: str, page: str) -> str:
    """The page with these tables in the place of its own."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables}\n{END}{after}"


def _lines() -> Iterator[str]:
    for account, title in TITLES.items():
        yield f"### {title}\n"
        yield f"| where | {' | '.join(VISIBILITIES)} |"
        yield "|---|---|---|---|---|"
        for row, places in _rows(account).items():
            yield f"| {'; '.join(places)} | {' | '.join(row)} |"
        yield ""


def _rows(account: Account) -> dict[tuple[str, ...], list[str]]:
    """Places that show the same to the same people share a row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for place in PLACES:
        row = tuple(_who(place, account, visibility) for visibility in VISIBILITIES)
        rows.setdefault(row, []).append(place)
    return rows


def _who(place: str, account: Account, visibility: Visibility) -> str:
    anyway, mentioned = (
        _shown_to(place, account, visibility, mentions) for mentions in (False, True)
    )
    if anyway is None or mentioned is None:
        return "\N{EN DASH}"
    names = [_name(anyway)] if anyway else []
    if mentioned - anyway:
        names.append(_starred("mentioned people", mentioned))
    return ", ".join(names) or "nobody"


def _shown_to(
    place: str, account: Account, visibility: Visibility, mentions: bool
) -> frozenset[Viewer] | None:
    """Of the newest post that the question makes sense for; None if there is none."""
    for moment in reversed(PLACES[place].moments):
        cells = [Cell(viewer, account, visibility, mentions, moment) for viewer in VIEWERS]
        answers = {cell.viewer: verdict(place, cell).answer for cell in cells}
        if set(answers.values()) != {"n/a"}:
            return frozenset(it for it, answer in answers.items() if answer == "shown")
    return None


def _name(people: frozenset[Viewer]) -> str:
    """Who mutes is told by a star; of authors there is no question where it is about others."""
    implied: frozenset[Viewer] = frozenset({"muting", "author"} if "follower" in people else ())
    return _starred(NAMES[people | implied], people)


def _starred(name: str, people: frozenset[Viewer]) -> str:
    is_muted = "follower" in people and "muting" not in people
    return f"{name}{UNLESS_MUTED}" if is_muted else name


if __name__ == "__main__":
    PAGE.write_text(page_with(tables(), PAGE.read_text()))
