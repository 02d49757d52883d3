"""The measures: what moderators are told of each, what it is taken on, and what it changes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from statuses import services as statuses
from statuses.models import Status
from users import services as users
from users.models import User
from users.pictures.kinds import AVATAR, HEADER
from users.rows import change_counter

from .models import AccountWarning, Kind, Measure, Report


@dataclass(frozen=True, kw_only=True)
class Action:
    title: StrOrPromise  # in menus and on buttons
    effect: StrOrPromise  # what the moderator reads before it happens
    on: type[Report | Status | User]
    # Does it to such a thing. Returns whether that changed something, or the row as it was.
    change: Callable[[Any], bool | Status | None]
    nothing: StrOrPromise  # what the moderator reads if there was nothing to change
    # What else is written, once the measure has its row.
    then: Callable[[Measure, Any], object] = lambda _measure, _it: None
    is_told: bool = False  # does the account read the reason?
    needs_reason: bool = True


def _is_open(report: Report) -> bool:
    rows = Report.objects.select_for_update(no_key=True).filter(pk=report.pk, is_open=True)
    return rows.first() is not None


ACTIONS = {
    Kind.DISMISS: Action(
        title=_("Close without a measure"),
        effect=_("The reports are closed, and nothing else happens."),
        on=Report,
        change=_is_open,
        nothing=_("Somebody else has closed this report meanwhile."),
        needs_reason=False,
    ),
    Kind.DELETE_STATUS: Action(
        title=_("Delete the post"),
        effect=_(
            "The post is deleted at once, for everybody, and its author is told. This can't be "
            "undone; the report and the measure keep what it said."
        ),
        on=Status,
        change=lambda status: statuses.take_down(status=status),
        nothing=_("This post is deleted already."),
        is_told=True,
    ),
    Kind.WARN: Action(
        title=_("Warn the account"),
        effect=_("The account reads your words on every page until it says that it has read them."),
        on=User,
        change=lambda account: bool(change_counter(account.pk, "unread_warnings", +1)),
        nothing=_("This account no longer exists."),
        then=lambda measure, it: AccountWarning.objects.create(measure=measure, account=it),
        is_told=True,
    ),
    Kind.MARK_SENSITIVE: Action(
        title=_("Mark the post as sensitive"),
        effect=_("Readers see “Marked as sensitive”, and the post when they click."),
        on=Status,
        change=lambda status: statuses.mark_sensitive(status=status),
        nothing=_("This post is marked as sensitive already, or deleted."),
    ),
    Kind.UNMARK_SENSITIVE: Action(
        title=_("Unmark the post as sensitive"),
        effect=_("The post is shown like any other again."),
        on=Status,
        change=lambda status: statuses.mark_sensitive(status=status, is_sensitive=False),
        nothing=_("This post is not marked as sensitive, or deleted."),
    ),
    Kind.REMOVE_AVATAR: Action(
        title=_("Remove the avatar"),
        effect=_(
            "The picture is deleted, and the initials of the account are shown in its place. "
            "This can't be undone; the account may choose another picture."
        ),
        on=User,
        change=lambda account: users.remove_picture(user=account, kind=AVATAR),
        nothing=_("This account has no avatar."),
    ),
    Kind.REMOVE_HEADER: Action(
        title=_("Remove the header"),
        effect=_(
            "The picture at the top of the profile is deleted. This can't be undone; the "
            "account may choose another."
        ),
        on=User,
        change=lambda account: users.remove_picture(user=account, kind=HEADER),
        nothing=_("This account has no header."),
    ),
    Kind.SILENCE: Action(
        title=_("Silence the account"),
        effect=_(
            "Only followers see what the account says: it leaves explore, tags and public "
            "streams. Nobody is told."
        ),
        on=User,
        change=lambda account: users.silence(user=account),
        nothing=_("This account is silenced already."),
    ),
    Kind.UNSILENCE: Action(
        title=_("No longer silence the account"),
        effect=_("Everybody sees again what the account says."),
        on=User,
        change=lambda account: users.unsilence(user=account),
        nothing=_("This account is not silenced."),
    ),
    Kind.SUSPEND: Action(
        title=_("Suspend the account"),
        effect=_(
            "From now on nobody sees the account anywhere: profile, posts, lists that it owns, "
            "its name among followers and members, links to it. It is logged out, its tokens are "
            "refused and its streams end. Nothing is deleted: you can restore it at any time. When "
            "it tries to log in, it reads why."
        ),
        on=User,
        change=lambda account: users.suspend(user=account),
        nothing=_("This account is suspended already."),
        is_told=True,
    ),
    Kind.RESTORE: Action(
        title=_("Restore the account"),
        effect=_(
            "Everything of the account is shown again, at once and in its old place. It can log "
            "in, and its tokens work."
        ),
        on=User,
        change=lambda account: users.restore(user=account),
        nothing=_("This account is not suspended."),
    ),
}


def actions_on(thing: type[Report | Status | User]) -> list[Kind]:
    return [kind for kind, action in ACTIONS.items() if action.on is thing]
