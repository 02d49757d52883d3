from collections import defaultdict
from datetime import timedelta

from django.db import migrations

GRAVITY = {"harm": 3, "illegal": 3, "abuse": 2, "impersonation": 2, "spam": 1, "other": 1}
WITHIN = {3: timedelta(hours=1), 2: timedelta(days=1), 1: timedelta(days=3)}
SOME = 500


def gather(apps, schema_editor):  # noqa: ARG001 - Django's
    """What is open already: one case for all reports about the same thing."""
    report_model = apps.get_model("moderation", "Report")
    columns = ("pk", "status_id", "account_id", "username", "category", "created_at")
    alike = defaultdict(list)
    for row in report_model.objects.filter(is_open=True).order_by("pk").values(*columns):
        alike[thing(row)].append(row)
    apps.get_model("moderation", "Case").objects.bulk_create(
        [case_of(apps, rows) for rows in alike.values()], batch_size=SOME
    )
    for rows in alike.values():
        pks = [row["pk"] for row in rows]
        for start in range(0, len(pks), SOME):
            some = report_model.objects.filter(pk__in=pks[start : start + SOME])
            some.update(case_id=pks[0])


def thing(row):
    if row["status_id"]:
        return "status", row["status_id"]
    return ("account", row["account_id"]) if row["account_id"] else ("report", row["pk"])


def case_of(apps, rows):
    first, gravest = rows[0], max(rows, key=lambda row: GRAVITY[row["category"]])
    return apps.get_model("moderation", "Case")(
        id=first["pk"],
        account_id=first["account_id"],
        username=first["username"],
        status_id=first["status_id"],
        category=gravest["category"],
        gravity=GRAVITY[gravest["category"]],
        reports_count=len(rows),
        opened_at=first["created_at"],
        due_at=min(row["created_at"] + WITHIN[GRAVITY[row["category"]]] for row in rows),
    )


class Migration(migrations.Migration):
    dependencies = [("moderation", "0003_queue")]

    operations = [migrations.RunPython(gather, migrations.RunPython.noop)]
