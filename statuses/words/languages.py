"""The language of a status, in a short form: who looks for English finds all of it together."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header

from ..models import validate_language

# Written so differently that readers of the one may not want the other.
APART = {"pt-BR", "zh-TW"}


def shortened(code: str) -> str:
    """`en` of `en-US`, but `pt-BR`. What is no language stays as it is, to be refused."""
    if not _is_language(code):
        return code
    language, _, region = code.partition("-")
    apart = f"{language}-{region.upper()}"
    return apart if apart in APART else language


def accepted(request: HttpRequest) -> str:
    """What the browser prefers; empty if it does not say."""
    return next(iter(all_accepted(request)), "")


def all_accepted(request: HttpRequest) -> list[str]:
    """What the reader of this browser understands, the best first."""
    wanted = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    return list(dict.fromkeys(shortened(code) for code, _ in wanted if _is_language(code)))


def _is_language(code: str) -> bool:
    try:
        validate_language(code)
    except ValidationError:
        return False
    return True
