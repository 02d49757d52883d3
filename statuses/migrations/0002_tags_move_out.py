"""Tags and follows of them move to the app `tags`. The rows stay, the tables get other names."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("statuses", "0001_initial"), ("tags", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.AlterModelTable("Tag", "tags_tag"),
                migrations.AlterModelTable("TagFollow", "tags_tagfollow"),
            ],
            state_operations=[
                migrations.AlterField(
                    "Tagging",
                    "tag",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="tags.tag",
                    ),
                ),
                migrations.DeleteModel("TagFollow"),
                migrations.DeleteModel("Tag"),
            ],
        ),
    ]
