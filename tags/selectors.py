"""Reading tags. What was said with one: `timelines.selectors.tag_timeline`."""

from django.http import Http404

from users.models import User

from . import store
from .models import Tag
from .names import fold


def folded_or_404(name: str) -> str:
    if folded := fold(name):
        return folded
    raise Http404("That can't be a tag.")


def tag_named(name: str) -> Tag:
    """Takes the folded name. A tag that nobody has used has no id. One query."""
    return Tag.objects.filter(name=name).first() or Tag(name=name)


def is_following_tag(viewer: User | None, tag: Tag) -> bool:
    return viewer is not None and bool(tag.pk) and store.follows(viewer.pk, tag.pk)


def followed_tags(user: User) -> list[Tag]:
    """Newest follow first. One round trip, one query."""
    ids = store.followed_ids(user.pk)
    tags = Tag.objects.in_bulk(ids)
    return [tags[tag_id] for tag_id in reversed(ids) if tag_id in tags]
