from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict
from itertools import groupby
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict
from django.utils.translation import gettext
from django_stubs_ext import StrOrPromise

from .site import DECLARED, Site, in_environment


class SiteForm(forms.Form):
    """All settings. The form holds what it showed, so that of two administrators each changes only
    what they touched.
    """

    def __init__(self, site: Site, data: QueryDict | None = None) -> None:
        super().__init__(data, initial=asdict(site))
        fixed = in_environment()
        for name, declared in DECLARED.items():
            field = self.fields[name] = deepcopy(declared.field)
            field.show_hidden_initial = name not in fixed
            if name in fixed:
                field.disabled, field.required = True, False
                words = gettext("Set by %(variable)s in the environment.")
                field.help_text = words % {"variable": declared.variable}

    @property
    def changes(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data}

    def groups(self) -> Iterator[tuple[StrOrPromise, list[BoundField]]]:
        for group, names in groupby(DECLARED, lambda name: DECLARED[name].group):
            yield group, [self[name] for name in names]
