"""The dashboard: who sees it, and that its sums are what was counted."""

import csv
import io
import time

import pytest
from django.test import Client
from django.urls import reverse

from insight.dashboard.ranges import RANGES
from insight.recording.buffer import buffer
from insight.recording.sending import flush
from staff.roles import Role
from staff.services import give_role
from tests.cast import browser_of, make_user
from users.models import User

pytestmark = pytest.mark.usefixtures("measuring")


@pytest.fixture
def support(transactional_db: None) -> Client:
    user = make_user("helper")
    give_role(user=user, role=Role.SUPPORT)
    return browser_of(User.objects.get(pk=user.pk))


def test_it_opens(support: Client) -> None:
    for shown in RANGES:
        page = support.get(reverse("insight"), {"range": shown.key})
        assert page.status_code == 200
        print(len(page.content))
