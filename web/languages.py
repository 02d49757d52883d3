"""Which language a page speaks: the account's, else the visitor's cookie, else the browser's. And
which ones people speak.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import get_language_info, gettext
from django.utils.translation.trans_real import parse_accept_lang_header

from configuration.current import site

P = ParamSpec("P")
R = TypeVar("R")

CODES: tuple[str, ...] = tuple(code for code, _ in settings.LANGUAGES)
# Browsers send less; longer ones are made up.
LONGEST_HEADER = 500
# That people write and speak, to choose from. Where a browser asks for another, that too.
OFFERED = (
    "ar bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu id is it ja ka ko lt lv "
    "ms nb nl pl pt pt-BR ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh zh-TW"
).split()
# Both ways of writing it.
CHINESE = {"zh": "中文"}


def language_of(request: HttpRequest) -> str:
    """Without a look at the account: no query, no round trip."""
    cookie = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)
    return chosen_language("", cookie, accepted_by(request))


def accepted_by(request: HttpRequest) -> str:
    """The header `Accept-Language`."""
    return str(request.META.get("HTTP_ACCEPT_LANGUAGE", ""))[:LONGEST_HEADER]


def chosen_language(of_account: str, cookie: str | None, accepted: str) -> str:
    """One of `LANGUAGES`. `accepted` is the header `Accept-Language`."""
    for wanted in (of_account, cookie):
        if wanted in CODES:
            return str(wanted)
    return _accepted(accepted[:LONGEST_HEADER])


@lru_cache(1_000)
def _accepted(header: str) -> str:
    """The first that we speak, or a relative of it: `zh-CN` and `zh` are `zh-hans`."""
    for code, _ in parse_accept_lang_header(header):
        if code == "*":
            break
        try:
            return translation.get_supported_language_variant(code)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


def own_name(code: str) -> str:
    try:
        return CHINESE.get(code) or str(get_language_info(code.lower())["name_local"])
    except KeyError:
        return code


def validate_language(code: str) -> None:
    if code not in CODES:
        raise ValidationError(gettext("This site doesn't have that language."))


def remember_language(response: HttpResponse, language: str) -> None:
    name, age = settings.LANGUAGE_COOKIE_NAME, settings.LANGUAGE_COOKIE_AGE
    response.set_cookie(name, language, max_age=age, **settings.OWN_COOKIES)


def grouped(number: int) -> str:
    """`1,234`, as the language writes it."""
    return number_format(number, force_grouping=True)


def kept_in_each_language(most: int | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Like `lru_cache`, for what depends on the language and the settings of the site too: `most`
    results in all.
    """

    def decorator(function: Callable[P, R]) -> Callable[P, R]:
        @lru_cache(most)
        def kept(_language: str | None, _settings: str, *args: Any, **kwargs: Any) -> R:
            return function(*args, **kwargs)

        @wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            made: Callable[..., R] = kept
            return made(translation.get_language(), site().version, *args, **kwargs)

        return wrapper

    return decorator
