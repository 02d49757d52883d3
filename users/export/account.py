from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from pictures.kinds import PictureKind

from ..login.session_rows import sessions_of
from ..models import User
from ..pictures.kinds import PICTURES
from ..safety import second_factor
from ..safety.addresses import change_of
from .register import Row, exports, leave_out, walk

PROFILE = ["username", "name", "bio", "email", "date_joined", "last_login", "email_confirmed_at"]
SETTINGS = [
    "login_notices", "likes_are_public", "notifications_off", "language", "theme",
    "posting_language", "has_shortcuts", "posts_are_searchable",
]  # fmt: skip
COUNTERS = ["followers_count", "following_count", "statuses_count", "listed_count"]


def picture_name(user: User, kind: PictureKind) -> str | None:
    return f"{kind.column}.jpg" if getattr(user, kind.column) else None


def pictures(user: User) -> Iterator[tuple[str, bytes]]:
    for kind in PICTURES:
        if name := picture_name(user, kind):
            content = kind.read(getattr(user, kind.column))
            if content is not None:  # it may have been replaced since
                yield name, content


@exports("account", title=_("Account"), covers=["users.EmailChange.user"])
def account(user: User) -> Iterator[Row]:
    change = change_of(user)
    yield {
        **{name: getattr(user, name) for name in (*PROFILE, *SETTINGS, *COUNTERS)},
        **{kind.column: picture_name(user, kind) for kind in PICTURES},
        "new_email": change.email if change else None,
        "two_factor": second_factor.is_on(user),
        "is_staff": user.is_staff,
    }


@exports("invitations", title=_("Invitations"), covers=["users.Invitation.made_by"])
def invitations(user: User) -> Iterator[Row]:
    """Without their codes, which others could still use."""
    for it in walk(user.invitations.all()):
        yield {
            "note": it.note,
            "most_uses": it.most_uses,
            "uses": it.uses,
            "since": it.made_at,
            "until": it.ends_at,
            "revoked": it.revoked_at,
        }


@exports("sessions", title=_("Where you are logged in"), covers=["users.Session.user"])
def sessions(user: User) -> Iterator[Row]:
    for session in sessions_of(user):
        yield {
            "device": session.device,
            "user_agent": session.agent,
            "address": session.address,
            "since": session.created_at,
            "last_seen": session.seen_at,
            "until": session.expires_at,
        }


leave_out(
    "users.Authenticator.user",
    "users.RecoveryCode.user",
    because="Secrets. The account says whether two-factor log-in is on.",
)
leave_out("users.NameWord.user", because="They are made of the name and username.")
leave_out("users.Export.user", because="It would be about the export itself.")
leave_out("admin.LogEntry.user", because="The log of the site's staff, not of the account.")
