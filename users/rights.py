"""What accounts may do beyond being members. Where the site wants staff to have a second factor,
those without one have no rights, wherever they are asked for: in the admin and on the site.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import PermissionsMixin
from django.utils.functional import cached_property


class Rights(PermissionsMixin):
    is_staff: Any  # a column of the model

    class Meta:
        abstract = True

    @property
    def needs_second_factor(self) -> bool:
        return settings.STAFF_NEEDS_TWO_FACTOR and (self.is_staff or self.is_superuser)

    @cached_property
    def lacks_second_factor(self) -> bool:
        """Kept by the object: a page of the admin asks for dozens of rights."""
        if not self.needs_second_factor:
            return False
        # Imported late: it imports the model that this is a base of.
        from .safety.second_factor import is_on

        return not is_on(self)  # type: ignore[arg-type] # the only model with this base

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        return not self.lacks_second_factor and super().has_perm(perm, obj)

    def has_module_perms(self, app_label: str) -> bool:
        return not self.lacks_second_factor and super().has_module_perms(app_label)

    def get_all_permissions(self, obj: Any = None) -> set[str]:
        return set() if self.lacks_second_factor else super().get_all_permissions(obj)
