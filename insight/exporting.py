from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports
from users.models import User

from . import visitors


@exports("days_here", title=_("Days on which you were here"))
def days_here(user: User) -> Iterator[Row]:
    for day in visitors.days_of(user.pk):
        yield {"date": day.isoformat()}
