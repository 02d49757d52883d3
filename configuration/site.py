"""The settings of the site that can be changed while it runs. To add one, declare it here."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from .declaring import Declared, address, choice, color, declared, flag, line, lines, number

IDENTITY, PEOPLE, POSTS, LIMITS, STORES, FIGURES, NEWS = (
    _("The site"),
    _("Sign-up"),
    _("Posts"),
    _("Limits"),
    _("Redis"),
    _("Figures"),
    _("Announcement and maintenance"),
)


class SignUp(models.TextChoices):
    OPEN = "open", _("Open: anybody can sign up")
    INVITED = "invited", _("By invitation")
    CLOSED = "closed", _("Closed: nobody can sign up")


@dataclass(frozen=True, kw_only=True)
class Site:
    """With its defaults. `configuration.current.site()` gives the values that hold now."""

    name: str = declared(
        "Socialsite",
        IDENTITY,
        line(_("Name"), _("In titles, on pages and in mails."), most=50, required=True),
        variable="SITE_NAME",
    )
    description: str = declared(
        "",
        IDENTITY,
        lines(
            _("Description"),
            _(
                "What the site is about, in a few sentences: for the page “About”, the start "
                "page and search engines. Empty: our own words."
            ),
            most=500,
            rows=3,
        ),
    )
    accent: str = declared(
        "",
        IDENTITY,
        color(
            _("Color"),
            _(
                "Of buttons and links, like #4f4fc4. It has to be readable on white; for the "
                "dark theme it is made lighter. Empty: that of the style sheets."
            ),
        ),
        variable="ACCENT_COLOR",
    )
    contact: str = declared(
        "",
        IDENTITY,
        address(
            _("E-mail address for questions"),
            _("Shown to everybody on “About”, and to suspended members who try to log in."),
        ),
        variable="CONTACT_EMAIL",
    )
    rules: str = declared(
        "",
        IDENTITY,
        lines(
            _("Rules"),
            _("Paragraphs, with empty lines between them. Empty: our own rules."),
            most=20_000,
            rows=12,
        ),
        variable="RULES_FILE",
        read=lambda _path: "",  # `about.selectors` reads the file itself: it may change at any time
    )
    sign_up: str = declared(
        SignUp.OPEN.value,
        PEOPLE,
        choice(
            _("Who can sign up"),
            _("Administrators make invitations under “Invitations”."),
            SignUp.choices,
        ),
    )
    sign_ups_per_hour: int = declared(
        100,
        PEOPLE,
        number(_("Sign-ups an hour"), _("From one address."), least=1, most=1_000_000),
        variable="SIGNUPS_PER_HOUR",
    )
    longest_post: int = declared(
        500,
        POSTS,
        number(
            _("Length of a post"),
            _("The most characters, as people count them. Longer posts that exist already stay."),
            least=100,
            most=2_000,
        ),
    )
    edit_minutes: int = declared(
        60,
        POSTS,
        number(
            _("Minutes to edit"),
            _("For how long authors can edit what they posted. 0: never."),
            least=0,
            most=1_000_000,
        ),
        variable="EDIT_MINUTES",
    )
    posts_per_hour: int = declared(
        300,
        LIMITS,
        number(_("Posts an hour"), _("Of one account, with replies."), least=1, most=1_000),
    )
    follows_per_day: int = declared(
        400,
        LIMITS,
        number(_("Follows a day"), _("That one account may begin."), least=1, most=1_000),
    )
    reports_per_hour: int = declared(
        10,
        LIMITS,
        number(_("Reports an hour"), _("From one account."), least=1, most=1_000),
    )
    most_following: int = declared(
        7_500,
        LIMITS,
        number(
            _("Accounts that one may follow"),
            _("In all. Who follows more already goes on."),
            least=1,
            most=1_000_000,
        ),
        variable="MAX_FOLLOWING",
    )
    reads_from_replicas: bool = declared(
        False,
        STORES,
        flag(
            _("Pages from replicas"),
            _(
                "With Sentinel or a cluster: replicas of Redis help to read the pages of members, "
                "which may be a few seconds old then. Everything else asks the masters."
            ),
        ),
        variable="REDIS_READ_FROM_REPLICAS",
    )
    notes_places: bool = declared(
        False,
        FIGURES,
        flag(
            _("Places of members"),
            _(
                "Note in which country and city members were last, by their address and a file "
                "that you provide. Staff see how many are in a place, from ten on. Switching it "
                "off forgets all of it. The page “Privacy” says that it is on."
            ),
        ),
    )
    announcement: str = declared(
        "",
        NEWS,
        lines(
            _("Announcement"),
            _(
                "On top of every page, until readers close it. A new text shows again to "
                "everybody. Empty: none."
            ),
            most=500,
            rows=3,
        ),
    )
    in_maintenance: bool = declared(
        False,
        NEWS,
        flag(
            _("Maintenance"),
            _(
                "Only staff can use the site; all others read that it is being worked on. "
                "Logging in stays possible, streams and queued work go on."
            ),
        ),
    )

    @classmethod
    def of(cls, chosen: Mapping[str, Any]) -> Self:
        """What was chosen, except where the environment wins. Names and types that we don't know
        are from another version of this program: they are ignored.
        """
        known = {name: it for name, it in chosen.items() if _fits(name, it)}
        return cls(**known | in_environment())

    @cached_property
    def version(self) -> str:
        """The same for the same settings: part of the name of what is kept."""
        said = json.dumps(asdict(self), sort_keys=True)
        return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()

    @property
    def takes_anybody(self) -> bool:
        return self.sign_up == SignUp.OPEN


DECLARED: dict[str, Declared] = {it.name: it.metadata["declared"] for it in fields(Site)}
DEFAULTS: dict[str, Any] = {it.name: it.default for it in fields(Site)}
VARIABLES: dict[str, str] = {name: it.variable for name, it in DECLARED.items() if it.variable}


def in_environment() -> dict[str, Any]:
    return {
        name: DECLARED[name].read(value)
        for name, variable in VARIABLES.items()
        if (value := getattr(settings, variable)) is not None
    }


def _fits(name: str, value: object) -> bool:
    return name in DEFAULTS and type(value) is type(DEFAULTS[name])
