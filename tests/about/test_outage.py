"""What people read about the site needs no store, and is there while one is away."""

import pytest
from django.test import Client

from tests.cast import browser_of
from tests.outages import redis_away
from users.models import User

PAGES = ["/about/", "/rules/", "/privacy-policy/", "/help/", "/developers/", "/keyboard/"]


@pytest.mark.parametrize("is_known", [False, True], ids=["unnoticed", "noticed"])
def test_it_can_be_read_while_redis_hangs(alice: User, is_known: bool) -> None:
    browsers = {"visitor": Client(raise_request_exception=False), "member": browser_of(alice)}
    browsers["member"].raise_request_exception = False
    with redis_away(is_known=is_known):
        for who, browser in browsers.items():
            refused = [path for path in PAGES if browser.get(path).status_code != 200]
            assert refused == [], who
