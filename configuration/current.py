"""The settings of the site that hold now, in this process (`redistools/shared_document`)."""

from typing import Any

from django.core.signals import setting_changed

from redistools import keys
from redistools.shared_document.document import SharedDocument
from redistools.shared_document.observer import Observer

from .models import SiteSettings
from .site import VARIABLES, Site


def in_sql() -> dict[str, Any]:
    """One query. Without a row, nothing was ever chosen."""
    rows = SiteSettings.objects.filter(pk=SiteSettings.ONLY)
    chosen: dict[str, Any] | None = rows.values_list("chosen", flat=True).first()
    return chosen or {}


document = SharedDocument(
    "settings of the site", key=keys.site_settings, in_sql=in_sql, read=Site.of, empty={}
)
observer = Observer(document)
site = observer.now


def refresh() -> None:
    observer.hold(document.refresh())


def _environment_changed(setting: str, **_signal: Any) -> None:
    """In tests."""
    if setting in VARIABLES.values():
        observer.read_again()


setting_changed.connect(_environment_changed)
