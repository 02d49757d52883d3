from django.db import migrations, models


class Migration(migrations.Migration):
    """By what the admin lists accounts."""

    dependencies = [("users", "0006_invitation")]

    operations = [
        migrations.AddIndex(
            model_name="user",
            index=models.Index(fields=["date_joined", "id"], name="user_joined"),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(fields=["id"], condition=models.Q(is_staff=True), name="user_staff"),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(
                fields=["id"], condition=models.Q(is_silenced=True), name="user_silenced"
            ),
        ),
    ]
