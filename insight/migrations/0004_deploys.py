import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("insight", "0003_log")]

    operations = [
        migrations.CreateModel(
            name="Deploy",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("version", models.CharField(max_length=64)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={"default_permissions": ()},
        ),
    ]
