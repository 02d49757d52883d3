"""Writing the audit log, in the transaction of what was changed. Values that are nobody's business
stay out of it: passwords, mail addresses, tokens, secrets.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.forms.models import ModelChoiceField

from users.models import User
from web.client_address import address_of_this_request

from .models import LONGEST_TEXT, Action, AuditEntry
from .roles import roles_of

Change = dict[str, str]

SECRET_NAMES = re.compile(r"password|e-?mail|token|secret|digest|checksum|hash|key|code", re.I)
MAIL_ADDRESS = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+")
HIDDEN = "(hidden)"
LONGEST_VALUE = 300


def write(
    action: Action,
    about: models.Model,
    *,
    by: User | None,
    changes: Iterable[Change] = (),
    words: str = "",
) -> AuditEntry:
    return AuditEntry.objects.create(
        action=action,
        by=by,
        by_username=by.username if by else "",
        role=_role_of(by) if by else "",
        address=address_of_this_request(),
        kind=about._meta.label_lower,
        object_id=str(about.pk),
        object_text=_shown(about, LONGEST_TEXT),
        changes=list(changes),
        words=_shown(words, LONGEST_TEXT),
    )


def change(field: str, before: object, after: object) -> Change:
    return {"field": field, "before": _shown(before), "after": _shown(after)}


def changes_in(form: Any, formsets: Any = ()) -> list[Change]:
    """What a form of the admin changes, and the formsets below it."""
    inline = [it for formset in formsets or () for it in formset.forms if it.has_changed()]
    return [*_changes_of(form), *(it for row in inline for it in _changes_of_row(row))]


def _changes_of_row(form: Any) -> Iterator[Change]:
    name = str(form.instance._meta.verbose_name)
    if form.cleaned_data.get("DELETE"):
        yield change(name, form.instance, "")
        return
    for it in _changes_of(form):
        yield it | {"field": f"{name} {form.instance.pk}: {it['field']}"}


def _changes_of(form: Any) -> Iterator[Change]:
    for name in form.changed_data:
        # Django calls what the form for a new password changes by a name that is no field's.
        field = form.fields.get(name)
        if field is None or is_secret(name, field):
            yield {"field": name, "before": HIDDEN, "after": HIDDEN}
        else:
            before = _initial(field, form.get_initial_for_field(field, name))
            yield change(name, before, form.cleaned_data.get(name))


def is_secret(name: str, field: forms.Field) -> bool:
    hides = isinstance(field, forms.EmailField) or isinstance(field.widget, forms.PasswordInput)
    return hides or SECRET_NAMES.search(name) is not None


def _initial(field: forms.Field, value: object) -> object:
    """Forms hold the id of a related row."""
    if isinstance(field, ModelChoiceField) and isinstance(value, int | str):
        with suppress(ValidationError):
            return field.to_python(value)
    return value


def _shown(value: object, longest: int = LONGEST_VALUE) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple | set | models.QuerySet):
        return _shown(", ".join(sorted(map(str, value))), longest)
    text = MAIL_ADDRESS.sub(HIDDEN, str(value)).replace("\0", "")
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _role_of(user: User) -> str:
    return next(iter(roles_of(user)), "")
