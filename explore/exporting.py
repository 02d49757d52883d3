from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports, leave_out, walk
from users.models import User

from .models import Dismissal


@exports(
    "dismissed",
    title=_("People you are not interested in"),
    covers=["explore.Dismissal.user"],
)
def dismissed(user: User) -> Iterator[Row]:
    dismissals = Dismissal.objects.filter(user=user, person__is_active=True)
    for dismissal in walk(dismissals.select_related("person")):
        yield {"username": dismissal.person.username}


leave_out("explore.Dismissal.person", because="People do not learn who is not interested in them.")
