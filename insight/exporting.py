from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports
from users.models import User

from .places.members import place_of
from .places.models import Place
from .structures import visitors


@exports("days_here", title=_("Days on which you were here"))
def days_here(user: User) -> Iterator[Row]:
    for day in visitors.days_of(user.pk):
        yield {"date": day.isoformat()}


@exports("place", title=_("Where you were last"))
def place(user: User) -> Iterator[Row]:
    """As far as the site knows; nothing, unless it notes places."""
    for it in Place.objects.filter(number=place_of(user.pk)):
        yield {"country": it.country, "region": it.region, "city": it.city}
