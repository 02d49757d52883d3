"""SQLite's REPLACE takes a row away without asking the trigger for deletions."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

MAKE = """
CREATE TRIGGER audit_log_replace BEFORE INSERT ON staff_auditentry
WHEN EXISTS (SELECT 1 FROM staff_auditentry WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'The audit log is append-only'); END
"""
DROP = "DROP TRIGGER audit_log_replace"


def make(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(MAKE)


def drop(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(DROP)


class Migration(migrations.Migration):
    dependencies = [("staff", "0003_one_log")]
    operations = [migrations.RunPython(make, drop)]
