"""The tags that a user follows: a loaded set of tag ids, scored by the id of the follow.

A read takes one round trip when Redis knows the set.
"""

from functools import partial
from typing import Any

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_client
from redistools.loaded_set import Loaded
from redistools.scripts import Batch
from redistools.writing_until_stable import write_until_stable

from .models import Tag, TagFollow

# More than anybody follows (`tags.services.MAX_TAGS`): it is never trimmed.
CAP = 2**31


def refresh(user_id: int, tag_id: int) -> bool:
    """Makes Redis say what SQL says: does the user follow the tag?

    Two queries and one round trip, unless the user changes their mind meanwhile.
    """
    fail_if_away()

    def write(follow_id: int | None) -> None:
        batch, key = Batch(get_client()), keys.tags_followed(user_id)
        if follow_id is None:
            loaded_set.drop(batch, key, [tag_id])
        else:
            loaded_set.put(batch, key, tag_id, follow_id, cap=CAP)
        batch.run()

    return write_until_stable(partial(_row_id, user_id, tag_id), write) is not None


def _row_id(user_id: int, tag_id: int) -> int | None:
    rows = TagFollow.objects.filter(user_id=user_id, tag_id=tag_id)
    return rows.values_list("id", flat=True).first()


def follows(user_id: int, tag_id: int) -> bool:
    (score,) = _read(user_id, ("ZSCORE", keys.tags_followed(user_id), tag_id))
    return score is not None


def followed_ids(user_id: int) -> list[int]:
    (members,) = _read(user_id, loaded_set.all_members(keys.tags_followed(user_id)))
    return [int(member) for member in members]


def followed_names(user_id: int) -> list[str]:
    followed = followed_ids(user_id)
    if not followed:
        return []
    return list(Tag.objects.filter(pk__in=followed).values_list("name", flat=True))


def ensure(user_id: int) -> None:
    _read(user_id)


def in_sql(user_id: int) -> Loaded:
    return Loaded(dict(TagFollow.objects.filter(user_id=user_id).values_list("tag_id", "id")))


def _read(user_id: int, *commands: tuple[Any, ...]) -> list[Any]:
    def load(unknown: list[str]) -> None:
        loaded_set.load(get_client(), unknown[0], partial(in_sql, user_id))

    return loaded_set.read(get_client(), [keys.tags_followed(user_id)], commands, load)
