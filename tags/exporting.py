from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports, walk
from users.models import User

from .models import TagFollow


@exports("tags", title=_("Tags you follow"), covers=["tags.TagFollow.user"])
def tags(user: User) -> Iterator[Row]:
    for follow in walk(TagFollow.objects.filter(user=user).select_related("tag")):
        yield {"tag": follow.tag.written}
