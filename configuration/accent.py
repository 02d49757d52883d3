"""The one color that a site can choose (`ACCENT_COLOR`), and what follows from it. Everything
readable keeps to WCAG AA: 4.5 to 1 against what is behind it.
"""

import hashlib
import re
from typing import NamedTuple, Self

NEEDED_CONTRAST = 4.5
# Those of static/css/tokens.css. On the brightest surface of the dark theme it is hardest to read.
DEFAULT = "#4f4fc4"
DARK_SURFACE = "#0f1115"
BRIGHTEST_DARK_SURFACE = "#1b2029"
ON_DARK_ACCENT = "#12121f"
# How much a hovered button differs.
STRONGER = 0.18
STEP = 0.02


class Color(NamedTuple):
    red: int
    green: int
    blue: int

    @classmethod
    def of(cls, written: str) -> Self:
        if not re.fullmatch("#[0-9a-fA-F]{6}", written):
            raise ValueError(f"ACCENT_COLOR must look like #4f4fc4, got {written!r}")
        return cls(*bytes.fromhex(written[1:]))

    def __str__(self) -> str:
        return f"#{bytes(self).hex()}"

    def mixed_with(self, other: Self, share: float) -> "Color":
        return Color(*(round(a + (b - a) * share) for a, b in zip(self, other, strict=True)))

    @property
    def luminance(self) -> float:
        parts = (part / 255 for part in self)
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast_to(self, other: Self) -> float:
        dark, bright = sorted((self.luminance, other.luminance))
        return (bright + 0.05) / (dark + 0.05)


WHITE, BLACK = Color.of("#ffffff"), Color.of("#000000")


def check_accent(written: str) -> None:
    """Empty is the default. Raises ValueError."""
    if not written:
        return
    contrast = Color.of(written).contrast_to(WHITE)
    if contrast < NEEDED_CONTRAST:
        raise ValueError(
            f"ACCENT_COLOR must be readable on white: {written} has a contrast of {contrast:.2f} "
            f"to 1, and {NEEDED_CONTRAST} is needed. Choose a darker color"
        )


def style_sheet(written: str) -> str:
    light = Color.of(written)
    dark = _readable_on_dark(light)
    pairs = {
        "accent": (light, dark),
        "accent-strong": (light.mixed_with(BLACK, STRONGER), dark.mixed_with(WHITE, STRONGER)),
        "on-accent": (WHITE, ON_DARK_ACCENT),
    }
    lines = (f"  --{name}: light-dark({a}, {b});\n" for name, (a, b) in pairs.items())
    return f":root {{\n{''.join(lines)}}}\n"


def version_of(style: str) -> str:
    return hashlib.sha256(style.encode()).hexdigest()[:12]


def _readable_on_dark(color: Color) -> Color:
    """As it is, or lighter by as little as it needs."""
    behind = [Color.of(it) for it in (BRIGHTEST_DARK_SURFACE, ON_DARK_ACCENT)]
    share = 0.0
    lighter = color
    while min(map(lighter.contrast_to, behind)) < NEEDED_CONTRAST:
        share += STEP
        lighter = color.mixed_with(WHITE, share)
    return lighter
