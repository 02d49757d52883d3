from django.db import models
from django.utils.translation import gettext_lazy as _


class SiteSettings(models.Model):
    """The one row with everything that was chosen for the site (`site.py`), by name."""

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY)
    chosen = models.JSONField(default=dict)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("settings of the site")
        verbose_name_plural = _("settings of the site")
        default_permissions = ("change", "view")
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="site_settings_are_one_row")
        ]

    def __str__(self) -> str:
        return str(self._meta.verbose_name)
