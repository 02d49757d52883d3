"""What a new account has still to do, as far as its own row says. `welcome/` has the pages."""

from datetime import timedelta
from typing import Literal

from django.utils import timezone

from .models import User

FirstStep = Literal["profile", "interests", "people", "post"]
STEPS: tuple[FirstStep, ...] = ("profile", "interests", "people", "post")

YOUNG = timedelta(days=14)


def open_steps(user: User) -> list[FirstStep]:
    """Interests are never open by themselves: nobody needs tags."""
    has_profile = bool(user.bio or user.avatar)
    is_done = {
        "profile": has_profile,
        "interests": True,
        "people": user.following_count > 0,
        "post": user.statuses_count > 0,
    }
    return [step for step in STEPS if not is_done[step]]


def is_reminded(user: User) -> bool:
    """Does the home ask them to go on? Those who follow nobody have an empty home, at any age."""
    if user.first_steps_dismissed or not open_steps(user):
        return False
    return user.following_count == 0 or timezone.now() - user.date_joined < YOUNG


def dismiss(*, user: User) -> None:
    User.objects.filter(pk=user.pk).update(first_steps_dismissed=True)
