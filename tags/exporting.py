from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports, walk
from users.models import User

from .models import Interest, SpokenLanguage, TagFollow


@exports("tags", title=_("Tags you follow"), covers=["tags.TagFollow.user"])
def tags(user: User) -> Iterator[Row]:
    for follow in walk(TagFollow.objects.filter(user=user).select_related("tag")):
        yield {"tag": follow.tag.written}


@exports(
    "interests",
    title=_("Interests and languages on your profile"),
    covers=["tags.Interest.user", "tags.SpokenLanguage.user"],
)
def interests(user: User) -> Iterator[Row]:
    for interest in walk(Interest.objects.filter(user=user).select_related("tag")):
        yield {"tag": interest.tag.written or interest.tag.name}
    for language in walk(SpokenLanguage.objects.filter(user=user)):
        yield {"language": language.code}
