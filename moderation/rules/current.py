"""The rules that hold now, in this process (`redistools/shared_document`)."""

from typing import Any

from redistools import keys
from redistools.shared_document.document import SharedDocument
from redistools.shared_document.observer import Observer

from .book import Entry, RuleBook
from .models import Rule


def in_sql() -> list[list[Any]]:
    return [
        list(row)
        for row in Rule.objects.filter(is_on=True).order_by("pk").values_list(*Entry._fields)
    ]


def _book(rows: list[list[Any]]) -> RuleBook:
    return RuleBook([Entry(*row) for row in rows])


document = SharedDocument(
    "rules of moderators", key=keys.rules, in_sql=in_sql, read=_book, empty=[]
)
observer = Observer(document)
book = observer.now


def refresh() -> None:
    observer.hold(document.refresh())
