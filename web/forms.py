"""What a service refuses, shown by the form that asked for it."""

from types import TracebackType

from django.core.exceptions import ValidationError
from django.forms import BaseForm


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
