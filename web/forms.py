"""Pages around a form, and what a service refuses, shown by the form that asked for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from django.core.exceptions import BadRequest, ValidationError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render


def posted(request: HttpRequest) -> QueryDict | None:
    """What a form is bound to."""
    return request.POST if request.method == "POST" else None


def form_page(
    request: HttpRequest, template: str, form: BaseForm, **context: object
) -> HttpResponse:
    """A form that was sent and is shown again was refused."""
    status = 400 if form.is_bound else 200
    return render(request, template, {"form": form, **context}, status=status)


class RefusalsIn:
    """A ValidationError ends the block, and the form says why.

    with RefusalsIn(form):
        return services.create_list(**form.cleaned_data)
    return None
    """

    def __init__(self, form: BaseForm) -> None:
        self._form = form

    def __enter__(self) -> None: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(error, ValidationError):
            self._form.add_error(None, error)
        return isinstance(error, ValidationError)


@contextmanager
def bad_request_if_refused() -> Iterator[None]:
    """For a button, which has no form to say why: what a service refuses is answered with 400."""
    try:
        yield
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
