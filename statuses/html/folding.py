"""Which texts are so long that a list of posts shows only their beginning.

Browsers cut them by CSS, after twelve lines; here we decide which of them get a way to the rest. A
page has no script that measures, so that nothing moves once it is drawn.
"""

import unicodedata

# A list shows this many lines (`static/css/status.css`); what has one or two more stays whole.
MOST_LINES = 14
# How many Latin letters stand on a line of the column, and of a phone.
WIDE, NARROW = 68, 40
# Shorter texts are never that long, however they are written.
SHORTEST = 200


def fold_of(text: str) -> str:
    """Returns the CSS class of the text: `long`, `long-on-phones`, or nothing."""
    if len(text) < SHORTEST and text.count("\n") < MOST_LINES:
        return ""
    widths = [_width(line) for line in text.split("\n")]
    if _lines(widths, WIDE) > MOST_LINES:
        return "long"
    return "long-on-phones" if _lines(widths, NARROW) > MOST_LINES else ""


def _lines(widths: list[int], longest: int) -> int:
    return sum(max(1, -(-width // longest)) for width in widths)


def _width(line: str) -> int:
    """Counts in Latin letters. Chinese characters are as wide as two; marks stand above others."""
    return sum(
        2 if unicodedata.east_asian_width(it) in "WF" else 1
        for it in line
        if not unicodedata.category(it).startswith("M")
    )
