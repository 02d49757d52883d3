"""Takes out of a text what must not be kept: it may stand in a message of anybody's library.

Each rule reads the text once, however hostile it is.
"""

import ipaddress
import re
from collections.abc import Callable

HIDDEN = "…"
# Without a digit, shorter ones are names.
LONGEST_NAME = 32

Replacement = str | Callable[[re.Match[str]], str]


def scrubbed(text: str) -> str:
    for rule, replacement in _RULES:
        text = rule.sub(replacement, text)
    return text


def shortened(text: str, longest: int) -> str:
    """Its beginning and its end: of a traceback, the page that failed and what went wrong."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n{HIDDEN}\n{text[-half:]}"


def _unless_a_name(match: re.Match[str]) -> str:
    run = match[0]
    has_letters = any(map(str.isalpha, run))
    is_mixed = has_letters and run.lower() != run != run.upper()
    is_long = len(run) >= LONGEST_NAME and is_mixed and "_" not in run
    is_random = has_letters and any(map(str.isdigit, run))
    return HIDDEN if is_random or is_long else run


def _unless_ours(match: re.Match[str]) -> str:
    """Addresses of private networks are those of our own servers."""
    try:
        address = ipaddress.ip_address(match[0])
    except ValueError:  # a time, a version
        return match[0]
    return HIDDEN if address.is_global else match[0]


_SECRETS = "passw(?:or)?d|passphrase|secret|token|csrf|api_?key|session_?(?:id|key)"
_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s,;)}\]]+)"""
_RULES: tuple[tuple[re.Pattern[str], Replacement], ...] = (
    # What no terminal, page or store should be handed; tabs and ends of lines stay.
    (
        re.compile(
            r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
        ),
        "\N{REPLACEMENT CHARACTER}",
    ),
    # PostgreSQL quotes the row.
    (
        re.compile(r"\bDETAIL:.*?(?=\n\nThe above exception|\n\nDuring handling|\Z)", re.DOTALL),
        f"DETAIL: {HIDDEN}",
    ),
    (
        re.compile(r"(?i)\b((?:set-)?cookie|(?:proxy-)?authorization)(['\"]?\s?[:=])[^\n]*"),
        rf"\1\2 {HIDDEN}",
    ),
    (re.compile(r"(?i)\b(bearer|basic) [^\s,;'\"]+"), rf"\1 {HIDDEN}"),
    (
        re.compile(rf"(?i)((?:{_SECRETS})\w{{0,40}}['\"]?\s?[:=]\s?)(?:{_VALUE})"),
        rf"\1{HIDDEN}",
    ),
    (re.compile(r"(?<=://)[^\s/@]*@"), f"{HIDDEN}@"),
    (re.compile(r"""\?[^\s"'<>=?]*=[^\s"'<>]*"""), f"?{HIDDEN}"),
    (re.compile(r"(?<![\w.+%-])[\w.+%-]+(?:@|%40)[\w-][\w.-]*"), HIDDEN),
    (re.compile(r"[A-Za-z0-9_+-]{20,}={0,2}"), _unless_a_name),
    (re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)"), _unless_ours),
    (re.compile(r"(?i)(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])"), _unless_ours),
)
