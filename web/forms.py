"""Pages around a form, and what a service refuses, shown by the form that asked for it."""

from http import HTTPStatus
from types import TracebackType

from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from .refusals import Refusal, marked


def posted(request: HttpRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def form_page(
    request: HttpRequest, template: str, form: BaseForm, **context: object
) -> HttpResponse:
    """A form that was sent and is shown again was refused, and keeps what was typed."""
    status = 400 if form.is_bound else 200
    response = render(request, template, {"form": form, **context}, status=status)
    return marked(response, refusal_of(form))


def refusal_of(form: BaseForm) -> Refusal | None:
    return getattr(form, "refusal", None)


class RefusalsIn:
    """What a service refuses ends the block, and the form says why."""

    def __init__(self, form: BaseForm) -> None:
        self._form = form

    def __enter__(self) -> None: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(error, Refusal) and error.status != HTTPStatus.UNAUTHORIZED:
            self._form.refusal = error  # type: ignore[attr-defined] # read above
            error = ValidationError(error.words, code=error.code)
        if isinstance(error, ValidationError):
            self._form.add_error(None, error)
        return isinstance(error, ValidationError)
