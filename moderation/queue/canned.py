"""Reasons that moderators often give, in the language of the account that will read them."""

from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _

from users.models import User

from ..models import CannedAnswer


class Canned(NamedTuple):
    measure: str
    title: str
    words: str


# For sites that have written none themselves, by measure.
OURS = {
    "warn": [
        (_("Abuse"), _("Please treat others with respect. Attacks on people are against the rules of this site.")),
        (_("Spam"), _("Please don't post the same thing again and again, or advertise here.")),
        (_("Impersonation"), _("Please make clear that you are not the person or organization whose name you use.")),
    ],
    "delete_status": [
        (_("Abuse"), _("Your post attacks somebody, which is against the rules of this site.")),
        (_("Spam"), _("Your post is advertising, or was posted many times.")),
        (_("Private data"), _("Your post shows somebody's private data without their consent.")),
    ],
    "suspend": [
        (_("Threat"), _("You have threatened somebody. Your account is suspended; you can appeal within 30 days.")),
        (_("Spam"), _("Your account was used for spam. It is suspended; you can appeal within 30 days.")),
        (_("Repeat"), _("You went on after a warning. Your account is suspended; you can appeal within 30 days.")),
    ],
}  # fmt: skip


def language_of(account: User | None) -> str:
    return (account.language if account else "") or settings.LANGUAGE_CODE


def canned_answers(language: str) -> Sequence[Canned]:
    """Of each measure: the site's own in this language, or else ours. One query."""
    own = [
        Canned(it.measure, it.title, it.words)
        for it in CannedAnswer.objects.filter(language=language)
    ]
    known = {it.measure for it in own}
    with override(language):
        ours = [
            Canned(measure, gettext(str(title)), gettext(str(words)))
            for measure, answers in OURS.items()
            if measure not in known
            for title, words in answers
        ]
    return [*own, *ours]
