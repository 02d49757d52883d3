"""How many posts have a tag. They are counted here once; later, as they come and go."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Count

AT_ONCE = 500
# Of audiences: everybody, on every page.
PUBLIC = 0


def count(apps: StateApps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    tags, taggings = apps.get_model("tags", "Tag"), apps.get_model("statuses", "Tagging")
    public = taggings.objects.filter(
        status__visibility=PUBLIC,
        status__author__is_private=False,
        status__author__is_silenced=False,
        status__author__is_active=True,
    )
    counts = public.values("tag").annotate(n=Count("status"))
    rows = (tags(pk=it["tag"], uses=it["n"]) for it in counts.iterator())
    while some := [row for row, _ in zip(rows, range(AT_ONCE), strict=False)]:
        tags.objects.bulk_update(some, ["uses"])


class Migration(migrations.Migration):
    dependencies = [
        ("tags", "0002_interests"),
        ("statuses", "0003_parts_of_versions"),
        ("users", "0005_searchable_posts"),
    ]

    operations = [
        migrations.AddField(
            model_name="tag",
            name="uses",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="tag",
            name="uncounted",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
