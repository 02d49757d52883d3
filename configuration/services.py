"""Changing the settings of the site: SQL first, then the copy in Redis that processes follow."""

from collections.abc import Mapping
from typing import Any, Protocol

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils.translation import gettext

from taskqueue import start

from . import tasks
from .models import SiteSettings
from .site import DECLARED, Site, in_environment

CHANGE = "configuration.change_sitesettings"


class Administrator(Protocol):
    def has_perm(self, perm: str, obj: Any = None) -> bool: ...


def change_settings(*, by: Administrator, **wanted: Any) -> list[str]:
    """Returns the names of those that are different now; the others stay as they are.

    Raises PermissionDenied, or ValidationError by name, and changes nothing then.
    """
    if not by.has_perm(CHANGE):
        raise PermissionDenied(gettext("Only administrators change the settings of the site."))
    checked = _checked(wanted)
    with transaction.atomic():
        SiteSettings.objects.get_or_create(pk=SiteSettings.ONLY)
        row = SiteSettings.objects.select_for_update().get(pk=SiteSettings.ONLY)
        before = Site.of(row.chosen)
        changed = [name for name, value in checked.items() if getattr(before, name) != value]
        if changed:
            row.chosen |= {name: checked[name] for name in changed}
            row.save()
            start.run_on_commit(tasks.refresh_settings)
    return changed


def _checked(wanted: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := wanted.keys() - DECLARED.keys():
        raise ValidationError(f"There is no setting {min(unknown)!r}")
    checked: dict[str, Any] = {}
    errors: dict[str, ValidationError] = {}
    for name, value in wanted.items():
        try:
            checked[name] = _checked_one(name, value)
        except ValidationError as error:
            errors[name] = error
    if errors:
        raise ValidationError({name: error.messages for name, error in errors.items()})
    return checked


def _checked_one(name: str, value: Any) -> Any:
    declared = DECLARED[name]
    if name in in_environment():
        words = gettext("%(variable)s is set in the environment, which wins.")
        raise ValidationError(words % {"variable": declared.variable}, code="environment")
    return declared.field.clean(value)
