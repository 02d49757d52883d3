from typing import NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tags.store import followed_ids
from users.first_steps import STEPS, FirstStep, open_steps
from users.models import User

TITLES: dict[FirstStep, Promise] = {
    "profile": _("Your profile"),
    "interests": _("Your interests"),
    "people": _("People to follow"),
    "post": _("Your first post"),
}


class StepLink(NamedTuple):
    title: Promise
    address: str
    is_done: bool
    is_here: bool


class Progress(NamedTuple):
    links: list[StepLink]
    number: int
    following: str  # the address of the step after this one, or of the home

    @property
    def steps(self) -> int:
        return len(self.links)


def address_of(step: FirstStep) -> str:
    return reverse(f"welcome_{step}")


def progress_of(user: User, here: FirstStep) -> Progress:
    waiting = set(open_steps(user)) | (set() if followed_ids(user.pk) else {"interests"})
    links = [StepLink(TITLES[it], address_of(it), it not in waiting, it == here) for it in STEPS]
    number = STEPS.index(here) + 1
    return Progress(links, number, address_of(STEPS[number]) if number < len(STEPS) else "/")
