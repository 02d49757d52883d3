"""Hands out the files of pictures where no web server or other host does."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

from .kinds import TYPES, all_kinds, storage

YEAR = 365 * 24 * 3600


def _etag(_request: HttpRequest, name: str, **_parts: str) -> str:
    return f'"{name}"'


@require_safe
@cache_control(public=True, max_age=YEAR, immutable=True)
@condition(etag_func=_etag)
def picture(_request: HttpRequest, name: str, folder: str, ending: str) -> HttpResponse:
    """The address has the form of our own names (`kinds.PATTERN`), so it leads nowhere else."""
    if folder not in {kind.folder for kind in all_kinds()}:
        raise Http404("There are no such pictures.")
    try:
        with storage().open(name) as file:
            content = file.read()
    except FileNotFoundError:
        raise Http404("There is no such picture.") from None
    return HttpResponse(content, content_type=TYPES[ending])
