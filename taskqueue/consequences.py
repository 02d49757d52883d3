"""The register of consequences: what follows a write, app by app.

The app that writes declares an event, a function whose body is its docstring, and calls it. The
apps above say in a module `consequences.py` what they do then, with `@posted.then`.

They run in the order of `INSTALLED_APPS`, and within an app in the order of the file. One that
fails stops the rest; the task or transaction that called the event is repeated or rolled back as a
whole, so each must bear being run twice.
"""

from collections.abc import Callable
from functools import cache, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

from django.conf import settings
from django.utils.module_loading import autodiscover_modules

from redistools.scripts import Batch

P = ParamSpec("P")
C = TypeVar("C", bound=Callable[..., Any])


class Event(Generic[P]):
    """Something that was written. Use it as a decorator."""

    def __init__(self, declaration: Callable[P, object]) -> None:
        update_wrapper(self, declaration)
        self._consequences: list[Callable[P, object]] = []

    def then(self, consequence: C) -> C:
        self._consequences.append(consequence)
        # The order is that of the apps, not that of the imports.
        self._consequences.sort(key=_place)
        return consequence

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[Any]:
        return [consequence(*args, **kwargs) for consequence in self.consequences()]

    def consequences(self) -> list[Callable[P, object]]:
        discover()
        return self._consequences


def _place(consequence: Callable[..., Any]) -> int:
    app = consequence.__module__.partition(".")[0]
    return settings.INSTALLED_APPS.index(app) if app in settings.INSTALLED_APPS else -1


@cache
def discover() -> None:
    """Imports the consequences of all apps, which the first event would do."""
    autodiscover_modules("consequences")


class SharedBatch(Batch):
    """A batch that several apps add to. One that needs answers says so, and gets its own."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._answers: list[Any] = []
        self._uses: list[tuple[slice, Callable[[list[Any]], object]]] = []

    def when_answered(self, since: int, use: Callable[[list[Any]], object]) -> None:
        """`use` gets the answers to what was added since the batch had this length."""
        self._uses.append((slice(since, len(self)), use))

    def run(self) -> list[Any]:
        self._answers = super().run()
        return self._answers

    def finish(self) -> None:
        for part, use in self._uses:
            use(self._answers[part])
