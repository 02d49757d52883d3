"""What the tests of likes, boosts and bookmarks share: posts, and what stands on pages."""

import re

from django.test import Client

from statuses import store
from statuses.services import post_status
from statuses.stored import StoredStatus
from users.models import User


def post(author: User, text: str) -> StoredStatus:
    status = post_status(author=author, text=text)
    return store.read_statuses([status.pk])[status.pk]


def posts(author: User, count: int) -> list[StoredStatus]:
    return [post(author, f"number {n}.") for n in range(count)]


def numbers(page: str) -> list[int]:
    return [int(number) for number in re.findall(r"number (\d+)\.", page)]


def pages(browser: Client, address: str) -> list[str]:
    """All of them, as one reads on."""
    found = [browser.get(address).content.decode()]
    while older := re.search(r'href="([^"]+)" rel="next"', found[-1]):
        found.append(browser.get(older[1]).content.decode())
    return found
