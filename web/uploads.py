"""What may be sent to a page: forms of a bounded size, and no files."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import BadRequest
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

Handler = Callable[[HttpRequest], HttpResponse]


def bounded_body(get_response: Handler) -> Handler:
    """Comes before everything that reads a body; the CSRF check is the first to do so."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "Transfer-Encoding" in request.headers:
            return _refused(HTTPStatus.LENGTH_REQUIRED)
        if _length(request) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return get_response(request)

    return middleware


def _length(request: HttpRequest) -> int:
    """Django takes a length that is not a number for 0."""
    length: str = request.META.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isdecimal() and len(length) < 20 else 0


def _refused(status: HTTPStatus) -> HttpResponse:
    context = {"site_name": settings.SITE_NAME, "status": status.value}
    return HttpResponse(render_to_string("413.html", context), status=status)


class RefusedFiles(FileUploadHandler):
    """The upload handler of pages that expect no files: refuses a file before it is read."""

    def new_file(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise BadRequest("This page takes no files.")
