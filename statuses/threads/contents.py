"""What the statuses of a thread say to this viewer."""

from collections.abc import Iterable

from users.models import User

from ..reading.shown import ShownStatus
from ..selectors import Show
from ..visibility.rules import ThreadRules
from .structure import Ancestor, Reply


class Contents:
    def __init__(self, viewer: User | None, show: Show) -> None:
        self._viewer, self._rules, self._show = viewer, ThreadRules(), show
        self._known: set[int] = set()
        self._shown: dict[int, ShownStatus] = {}
        self._gone: set[int] = set()

    def read(self, nodes: Iterable[Ancestor | Reply]) -> None:
        wanted = [it for it in nodes if it.id not in self._known]
        self._known |= {it.id for it in wanted}
        existing = [it.id for it in wanted if not it.is_gap]
        statuses, gone = self._show(existing, viewer=self._viewer, rules=self._rules)
        self._shown |= {status.id: status for status in statuses}
        # Some may have been deleted since SQL was asked.
        self._gone |= {it.id for it in wanted if it.is_gap} | {*gone}

    def shown(self, status_id: int) -> ShownStatus | None:
        return self._shown.get(status_id)

    def is_gone(self, status_id: int) -> bool:
        return status_id in self._gone
