"""How much work the database has with each statement of a block: plans, and rows or steps."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from relations.models import Follow
from statuses.models import Bookmark, Like, Mention, Status, Tagging
from users.models import User

# A statement may read this many rows; the smallest of the big tables has five times as many. SQLite
# counts the steps of its programs instead: three for a row that is only skipped, 10 or more for one
# that is used.
MOST_ROWS = 20_000
MOST_STEPS, STEPS_AT_ONCE = 200_000, 1_000
READS = ("SELECT", "WITH")
MODELS = (User, Follow, Status, Like, Bookmark, Tagging, Mention)
BIG = {model._meta.db_table for model in MODELS}
# Indexes of few rows.
PARTIAL = {it.name for model in MODELS for it in model._meta.indexes if it.condition is not None}
SCAN = re.compile(r"SCAN (?P<table>\w+)( USING (COVERING )?INDEX (?P<index>\w+))?")
# What Django calls tables that come twice in a query.
ALIAS = re.compile(r"[T-W]\d+")


@dataclass
class Work:
    """Statements that were too much, with their plans."""

    found: list[str] = field(default_factory=list)
    statements: int = 0


@contextmanager
def watched() -> Iterator[Work]:
    """Explains every statement before it is executed."""
    work = Work()
    explain = _explain_postgres if connection.vendor == "postgresql" else _explain_sqlite

    def wrapper(
        execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if not many and sql.startswith((*READS, "UPDATE", "DELETE")):
            work.statements += 1
            work.found += explain(sql, params)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield work


def _explain_sqlite(sql: str, params: Any) -> list[str]:
    plan = [row[3] for row in _fetch(f"EXPLAIN QUERY PLAN {sql}", params)]
    scans = [it for it in plan if _is_scan(it)]
    # A statement with a limit may walk through a table in its order, as far as it needs to.
    is_walk = " LIMIT " in sql
    steps = _steps(sql, params) if sql.startswith(READS) else 0
    too_much = (scans and not is_walk) or steps > MOST_STEPS
    return [f"{steps} steps for {sql} {params}\n" + "\n".join(plan)] if too_much else []


def _is_scan(step: str) -> bool:
    if not (scan := SCAN.match(step)) or scan["index"] in PARTIAL:
        return False
    return scan["table"] in BIG or ALIAS.fullmatch(scan["table"]) is not None


def _steps(sql: str, params: Any) -> int:
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += STEPS_AT_ONCE
        return 0

    sqlite = connection.connection
    sqlite.set_progress_handler(count, STEPS_AT_ONCE)
    try:
        _fetch(sql, params)
    finally:
        sqlite.set_progress_handler(None, 0)
    return counted


def _explain_postgres(sql: str, params: Any) -> list[str]:
    """Only reads are executed for it."""
    options = "ANALYZE, TIMING OFF, " if sql.startswith(READS) else ""
    ((answer,),) = _fetch(f"EXPLAIN ({options}FORMAT JSON) {sql}", params)
    (plan,) = json.loads(answer) if isinstance(answer, str) else answer
    nodes = list(_nodes(plan["Plan"]))
    visited = sum(map(_visited, nodes))
    scans = [it for it in nodes if it["Node Type"].endswith("Seq Scan")]
    too_much = any(it["Relation Name"] in BIG for it in scans) or visited > MOST_ROWS
    text = "\n".join(f"{it['Node Type']} {it.get('Relation Name', '')} {it}" for it in nodes)
    return [f"{visited} rows for {sql[:2000]} {str(params)[:200]}\n{text}"] if too_much else []


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    children = node.pop("Plans", [])
    yield node
    for child in children:
        yield from _nodes(child)


def _visited(node: dict[str, Any]) -> int:
    if "Scan" not in node["Node Type"]:
        return 0
    kept, removed = node.get("Actual Rows", 0), node.get("Rows Removed by Filter", 0)
    return int((kept + removed) * node.get("Actual Loops", 0))


def _fetch(sql: str, params: Any) -> list[Any]:
    """Itself unwatched."""
    with _nobody_watches(), connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())


@contextmanager
def _nobody_watches() -> Iterator[None]:
    watching = connection.execute_wrappers[:]
    connection.execute_wrappers.clear()
    try:
        yield
    finally:
        connection.execute_wrappers.extend(watching)
