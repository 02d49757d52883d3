"""The index of posts. Each engine has its own kind of table; what Django sees is the same."""

import string

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import search.models

# Terms are separated by blanks, and hold any other sign.
SIGNS = string.punctuation.replace("'", "''").replace('"', '""')
TABLES = {
    # It keeps the terms: before SQLite 3.43, nothing can be removed from a table without content
    # unless one knows what was in it. Lengths are for ranks, which nobody asks for.
    "sqlite": [
        f"""
        CREATE VIRTUAL TABLE search_entry
        USING fts5(terms, columnsize=0, tokenize="ascii tokenchars '{SIGNS}'")
        """
    ],
    "postgresql": [
        "CREATE TABLE search_entry (rowid bigint PRIMARY KEY, terms tsvector NOT NULL)",
        "CREATE INDEX search_entry_terms ON search_entry USING gin (terms)",
    ],
}


def make_table(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    with schema_editor.connection.cursor() as cursor:
        for statement in TABLES[schema_editor.connection.vendor]:
            cursor.execute(statement)


def drop_table(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.execute("DROP TABLE search_entry")


class Migration(migrations.Migration):
    initial = True

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(make_table, drop_table)],
            state_operations=[
                migrations.CreateModel(
                    name="Entry",
                    fields=[
                        (
                            "id",
                            models.BigIntegerField(
                                db_column="rowid", primary_key=True, serialize=False
                            ),
                        ),
                        ("terms", search.models.TermsField()),
                    ],
                    options={"verbose_name_plural": "entries"},
                )
            ],
        ),
        migrations.CreateModel(
            name="Progress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("settled", models.BigIntegerField()),
                ("rest", models.BigIntegerField()),
            ],
            options={"verbose_name_plural": "progress"},
        ),
    ]
