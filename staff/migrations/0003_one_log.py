"""What Django's own log of the admin holds goes to the audit log, which takes its place."""

import json
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROWS_AT_ONCE = 1_000
ACTIONS = {1: "added", 2: "changed", 3: "deleted"}


def take_over(apps: StateApps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    former = apps.get_model("admin", "LogEntry").objects
    ours = apps.get_model("staff", "AuditEntry").objects
    rows = former.select_related("user", "content_type").order_by("pk")
    entries = (ours.model(**_entry(row)) for row in rows.iterator(chunk_size=ROWS_AT_ONCE))
    ours.bulk_create(entries, batch_size=ROWS_AT_ONCE)
    former.all().delete()


def _entry(row: Any) -> dict[str, Any]:
    kind = row.content_type
    return {
        "at": row.action_time,
        "by_id": row.user_id,
        "by_username": row.user.username,
        "action": ACTIONS[row.action_flag],
        "kind": f"{kind.app_label}.{kind.model}" if kind else "",
        "object_id": row.object_id or "",
        # The text of a post was its name there.
        "object_text": f"post {row.object_id}"
        if kind and kind.model == "status"
        else row.object_repr,
        "changes": _changes(row.change_message),
    }


def _changes(message: str) -> list[dict[str, str]]:
    """Without values, which Django does not keep."""
    try:
        parts = json.loads(message) if message.startswith("[") else []
    except ValueError:
        parts = []
    fields = [name for part in parts for it in part.values() for name in it.get("fields", [])]
    return [{"field": str(name), "before": "", "after": ""} for name in fields]


class Migration(migrations.Migration):
    dependencies = [
        ("staff", "0002_append_only"),
        ("admin", "0003_logentry_add_action_flag_choices"),
    ]
    operations = [migrations.RunPython(take_over, migrations.RunPython.noop)]
