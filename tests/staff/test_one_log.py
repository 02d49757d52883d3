"""What Django's own log of the admin held when the audit log took its place."""

from importlib import import_module

from django.apps import apps
from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from lists.models import List
from staff.models import AuditEntry
from statuses.models import Status
from tests.cast import make_user
from users.models import User

take_over = import_module("staff.migrations.0003_one_log").take_over


def log(by: User, model: type, flag: int, text: str, message: str = "") -> None:
    LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(model),
        object_id="17",
        object_repr=text,
        action_flag=flag,
        change_message=message,
    )


def test_it_is_taken_over(transactional_db: None) -> None:
    boss = make_user("boss", is_staff=True)
    log(boss, User, CHANGE, "@alice", '[{"changed": {"fields": ["Name", "Bio"]}}]')
    log(boss, Status, CHANGE, "what she said", "Post deleted.")
    log(boss, List, DELETION, "birds", "[broken")
    with connection.schema_editor() as editor:
        take_over(apps, editor)
    assert not LogEntry.objects.exists()
    entries = AuditEntry.objects.order_by("pk")
    assert [(it.action, it.by, it.kind, it.object_id, it.object_text) for it in entries] == [
        ("changed", boss, "users.user", "17", "@alice"),
        ("changed", boss, "statuses.status", "17", "post 17"),
        ("deleted", boss, "lists.list", "17", "birds"),
    ]
    assert [it.whose for it in entries] == ["alice", "", ""]
    assert [it["field"] for it in entries[0].changes] == ["Name", "Bio"]
