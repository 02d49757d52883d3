"""What may be sent to a page: forms of a bounded size, and files only where a page takes them."""

import io
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import BadRequest, TooManyFieldsSent
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParser
from django.urls import Resolver404, resolve
from django.utils.translation import gettext

from .body_limits import BODY_REFUSED, MEGABYTES_OF_FILE
from .refusals import Refusal, answer, unavailable

Handler = Callable[[HttpRequest], HttpResponse]
View = TypeVar("View", bound=Callable[..., HttpResponse])

# Our largest form has some twenty.
MOST_PARTS = 1_000


def takes_files(view: View) -> View:
    """A page with a form that has files. The outermost decorator: others may hide the mark."""
    view.takes_files = True  # type: ignore[attr-defined] # read below
    return view


def bounded_body(get_response: Handler) -> Handler:
    """Comes before everything that reads a body; the CSRF check is the first to do so."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if refused := request.META.get(BODY_REFUSED):
            return _refused_upload(request, HTTPStatus(refused))
        if "Transfer-Encoding" in request.headers:
            return _refused(request, HTTPStatus.LENGTH_REQUIRED)
        length = _length(request)
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE and length > _longest(request):
            return _refused(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return get_response(request)

    return middleware


def _length(request: HttpRequest) -> int:
    """Django takes a length that is not a number for 0."""
    length: str = request.META.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isdecimal() and len(length) < 20 else 0


def _longest(request: HttpRequest) -> int:
    """Before the address is resolved: the CSRF check reads the body as soon as it is."""
    size = settings.FILE_UPLOAD_MAX_MEMORY_SIZE if is_for_files(request) else 0
    return max(size, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def is_for_files(request: HttpRequest) -> bool:
    try:
        view = resolve(request.path_info).func
    except Resolver404:
        return False
    return request.content_type == "multipart/form-data" and _takes_files(view)


def _takes_files(view: object) -> bool:
    return bool(getattr(view, "takes_files", False))


def _refused(request: HttpRequest, status: HTTPStatus, **context: Any) -> HttpResponse:
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        refusal = unavailable(gettext("Many pictures are arriving right now. Nothing was changed."))
    else:
        refusal = Refusal(gettext("This is too large"), code="too_large", status=status)
    return answer(request, refusal, page=413, most=MEGABYTES_OF_FILE, **context)


def _refused_upload(request: HttpRequest, status: HTTPStatus) -> HttpResponse:
    """Where a page takes files, it is for visitors alone that this one was too large."""
    return _refused(request, status, for_members=is_for_files(request))


class FewParts(FileUploadHandler):
    """Refuses a form in very many parts, which takes half a minute to look at."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],  # noqa: N803 - Django's name
        content_length: int,
        boundary: Any,
        encoding: str | None = None,
    ) -> tuple[Any, Any]:
        """Parses it in place of Django, as the others would have it. All of it is in memory."""
        content = input_data.read(content_length)
        if content.count(b"--" + boundary) > MOST_PARTS:
            raise TooManyFieldsSent("This form has too many parts.")
        handlers = self.request.upload_handlers if self.request else []
        others = [handler for handler in handlers if handler is not self]
        return MultiPartParser(META, io.BytesIO(content), others, encoding).parse()


class RefusedFiles(FileUploadHandler):
    def new_file(self, *args: Any, **kwargs: Any) -> None:
        match = self.request.resolver_match if self.request else None
        if not (match and _takes_files(match.func)):
            raise BadRequest(gettext("This page takes no files."))
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:  # noqa: ARG002 - Django's
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The next handler makes the file."""
