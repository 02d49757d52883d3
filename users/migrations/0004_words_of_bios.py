from typing import Any

from django.db import migrations, models

from users.names.folding import words_in_bio

BIO = 1


def write_words(apps: Any, _schema_editor: Any) -> None:
    """Of the bios that are there already. A word of the name too is there, and stays."""
    word = apps.get_model("users", "NameWord")
    bios = apps.get_model("users", "User").objects.exclude(bio="").values_list("pk", "bio")
    for user_id, bio in bios.iterator(chunk_size=1_000):
        rows = [word(user_id=user_id, word=it, source=BIO) for it in sorted(words_in_bio(bio))]
        word.objects.bulk_create(rows, ignore_conflicts=True)


def forget_words(apps: Any, _schema_editor: Any) -> None:
    apps.get_model("users", "NameWord").objects.filter(source=BIO).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0003_writing_preferences"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="nameword",
            name="name_word_beginning",
        ),
        migrations.AddField(
            model_name="nameword",
            name="source",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddIndex(
            model_name="nameword",
            index=models.Index(
                fields=["source", "word", "user"],
                name="name_word_beginning",
                opclasses=["int2_ops", "varchar_pattern_ops", "int8_ops"],
            ),
        ),
        migrations.RunPython(write_words, forget_words),
    ]
