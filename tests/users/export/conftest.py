"""Somebody who asks for a copy of their data."""

import io
from collections.abc import Iterator
from contextlib import closing
from zipfile import ZipFile

import pytest
from django.test import Client

from taskqueue.drain import drain
from tests.cast import browser_of
from users.export import making
from users.models import User

PAGE = "/settings/export/"
DOWNLOAD = "/settings/export/download/"


@pytest.fixture(autouse=True)
def empty_storage() -> Iterator[None]:
    yield
    for name in making._files():
        making.storage().delete(name)


@pytest.fixture
def browser(alice: User) -> Client:
    return browser_of(alice)


def exported(browser: Client) -> ZipFile:
    assert browser.post(PAGE)["Location"] == PAGE
    drain()
    answer = browser.get(DOWNLOAD)
    assert answer.status_code == 200
    with closing(answer):
        return ZipFile(io.BytesIO(b"".join(answer.streaming_content)))  # type: ignore[attr-defined] # a file
