"""PostgreSQL keeps what is new in a list beside the GIN, which each search would read."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def write_at_once(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER INDEX search_entry_terms SET (fastupdate = off)")
        # What the list holds already.
        schema_editor.execute("SELECT gin_clean_pending_list('search_entry_terms')")


def list_first(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER INDEX search_entry_terms RESET (fastupdate)")


class Migration(migrations.Migration):
    dependencies = [("search", "0002_saved_searches")]

    operations = [migrations.RunPython(write_at_once, list_first)]
