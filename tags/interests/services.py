"""What people say on their profiles that interests them, and which languages they speak."""

from collections.abc import Collection, Iterable

from django.db import transaction
from django.utils.translation import gettext

from users.models import User
from users.rows import lock_account
from users.services import refresh_after_commit
from users.throttling import throttled
from web.languages import OFFERED
from web.refusals import Refusal

from ..events import interests_changed
from ..models import Interest, SpokenLanguage, Tag
from ..names import MAX_LENGTH, fold

MOST_INTERESTS = 10
MOST_LANGUAGES = 6


@throttled("tag", by="user")
def change_interests(*, user: User, names: Iterable[str], languages: Iterable[str]) -> None:
    """Replaces all of them; tags in any spelling. Raises Refusal and AccountGone."""
    wanted, spoken = _folded(names), list(dict.fromkeys(languages))
    _refuse_too_many(wanted, spoken)
    if not set(spoken) <= set(OFFERED):
        raise Refusal(gettext("There is no such language to choose."), code="language")
    with transaction.atomic():
        lock_account(user)
        changed = [*_write_tags(user, wanted), *_write_languages(user, spoken)]
        _tell(user, changed)


@throttled("tag", by="user")
def add_interests(*, user: User, names: Iterable[str]) -> int:
    """Returns how many are new. Stops at the most that a profile has. Raises Refusal and
    AccountGone.
    """
    wanted = _folded(names)
    with transaction.atomic():
        lock_account(user)
        had = list(user.interests.order_by("pk").values_list("tag__name", flat=True))
        all_of_them = list(dict.fromkeys([*had, *wanted]))[:MOST_INTERESTS]
        changed = _write_tags(user, all_of_them)
        _tell(user, changed)
    return len(changed)


def _tell(user: User, changed: list[int | str]) -> None:
    """Pages that are kept for visitors have the old profile."""
    if changed:
        refresh_after_commit(user, renamed=False)
        interests_changed(user.pk, changed)


def _folded(names: Iterable[str]) -> list[str]:
    found = [fold(it) for it in names]
    if not all(found):
        raise Refusal(
            gettext("A tag has up to %(most)s letters, digits or _, and at least one letter.")
            % {"most": MAX_LENGTH},
            code="shape",
        )
    return list(dict.fromkeys(found))


def _refuse_too_many(names: Collection[str], languages: Collection[str]) -> None:
    if len(names) > MOST_INTERESTS:
        words = gettext("A profile has up to %(most)s interests.") % {"most": MOST_INTERESTS}
        raise Refusal(words, code="limit")
    if len(languages) > MOST_LANGUAGES:
        words = gettext("A profile has up to %(most)s languages.") % {"most": MOST_LANGUAGES}
        raise Refusal(words, code="limit")


def _write_tags(user: User, names: Collection[str]) -> list[int | str]:
    """Returns what has changed."""
    ids = Tag.objects.ensure(dict.fromkeys(names, ""))
    had = set(user.interests.values_list("tag_id", flat=True))
    new = [ids[name] for name in names if ids[name] not in had]
    gone = had - set(ids.values())
    Interest.objects.filter(user=user, tag_id__in=gone).delete()
    Interest.objects.bulk_create([Interest(user=user, tag_id=it) for it in new])
    return [*new, *sorted(gone)]


def _write_languages(user: User, codes: Collection[str]) -> list[int | str]:
    had = set(user.spoken_languages.values_list("code", flat=True))
    new = [it for it in codes if it not in had]
    gone = had - set(codes)
    SpokenLanguage.objects.filter(user=user, code__in=gone).delete()
    SpokenLanguage.objects.bulk_create([SpokenLanguage(user=user, code=it) for it in new])
    return [*new, *sorted(gone)]
