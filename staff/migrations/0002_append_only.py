"""The database itself refuses to change or delete what the audit log says.

For each row: a statement that finds none, as a restore begins with, is no harm.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TABLE = "staff_auditentry"
WORDS = "The audit log is append-only"
MAKE = {
    "sqlite": [
        f"""
        CREATE TRIGGER audit_log_{verb} BEFORE {verb} ON {TABLE}
        BEGIN SELECT RAISE(ABORT, '{WORDS}'); END
        """
        for verb in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        f"""
        CREATE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '{WORDS}'; END $$
        """,
        f"""
        CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE ON {TABLE}
        FOR EACH ROW EXECUTE FUNCTION audit_log_stays()
        """,
        f"""
        CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON {TABLE}
        FOR EACH STATEMENT EXECUTE FUNCTION audit_log_stays()
        """,
    ],
}
DROP = {
    "sqlite": [f"DROP TRIGGER audit_log_{verb}" for verb in ("UPDATE", "DELETE")],
    "postgresql": ["DROP FUNCTION audit_log_stays CASCADE"],
}


def make(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in MAKE[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def drop(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in DROP[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("staff", "0001_initial")]
    operations = [migrations.RunPython(make, drop)]
