from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("users", "0004_words_of_bios")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="posts_are_searchable",
            field=models.BooleanField(
                db_default=True,
                default=True,
                help_text="Others find them by their words. You always find your own.",
                verbose_name="my public posts can be searched",
            ),
        ),
    ]
