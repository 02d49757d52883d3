"""Not wanting to be offered somebody."""

from django.db import transaction
from django.utils.translation import gettext

from taskqueue import start
from users.models import User
from users.rows import lock_pair
from users.throttling import throttled
from web.refusals import Refusal

from .. import tasks
from ..models import Dismissal

# Of each user, the newest.
MOST = 1_000


@throttled("dismissal", by="user")
def dismiss(*, user: User, person: User) -> bool:
    """They are not suggested to the user any more, and do not learn of it. Returns False if it is
    so already. Raises Refusal and AccountGone.
    """
    if user.pk == person.pk:
        raise Refusal(gettext("Nobody suggests you to yourself."), code="self")
    with transaction.atomic():
        lock_pair(user, person.pk)
        _row, is_new = Dismissal.objects.get_or_create(user=user, person=person)
        if is_new:
            _forget_oldest(user)
            start.run_on_commit(tasks.drop_suggested, user.pk, person.pk)
    return is_new


def _forget_oldest(user: User) -> None:
    newest = Dismissal.objects.filter(user=user).order_by("-pk")
    for oldest in newest.values_list("pk", flat=True)[MOST : MOST + 1]:
        Dismissal.objects.filter(user=user, pk__lte=oldest).delete()


@throttled("undo", by="user")
def undo_dismissal(*, user: User, person: User) -> bool:
    """Returns False if there was nothing to undo."""
    with transaction.atomic():
        undone, _ = Dismissal.objects.filter(user=user, person=person).delete()
        if undone:
            start.run_on_commit(tasks.forget_suggested, user.pk)
    return bool(undone)
