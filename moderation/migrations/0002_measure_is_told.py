from django.db import migrations, models


def mark_warnings(apps, schema_editor):  # noqa: ARG001 - Django's
    """Reasons of suspensions so far were written for moderators alone."""
    apps.get_model("moderation", "Measure").objects.filter(kind="warn").update(is_told=True)


class Migration(migrations.Migration):
    dependencies = [("moderation", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="measure",
            name="is_told",
            field=models.BooleanField(
                "the account reads why", db_default=False, default=False, editable=False
            ),
        ),
        migrations.RunPython(mark_warnings, migrations.RunPython.noop),
    ]
