from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("insight", "0002_places")]

    operations = [
        migrations.CreateModel(
            name="Log",
            fields=[
                ("id", models.CharField(max_length=40, primary_key=True, serialize=False)),
            ],
            options={"managed": False, "default_permissions": ("view",)},
        ),
    ]
