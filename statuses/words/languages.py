"""The language of a status, in a short form: who looks for English finds all of it together."""

from functools import lru_cache

from django.core.exceptions import ValidationError
from django.utils.translation.trans_real import parse_accept_lang_header

from ..models import validate_language

# Written so differently that readers of the one may not want the other.
APART = {"pt-BR", "zh-TW"}


def shortened(code: str) -> str:
    """Shortens `en-US` to `en`, but keeps `pt-BR`, and what is no language, to be refused."""
    if not _is_language(code):
        return code
    language, _, region = code.partition("-")
    apart = f"{language}-{region.upper()}"
    return apart if apart in APART else language


@lru_cache(1_000)
def accepted(header: str) -> str:
    return next(iter(all_accepted(header)), "")


def all_accepted(header: str) -> list[str]:
    """Of what a browser asks for (`web.languages.accepted_by`), the favourite first."""
    wanted = parse_accept_lang_header(header)
    return list(dict.fromkeys(shortened(code) for code, _ in wanted if _is_language(code)))


def _is_language(code: str) -> bool:
    try:
        validate_language(code)
    except ValidationError:
        return False
    return True
