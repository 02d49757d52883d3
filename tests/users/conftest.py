from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

import pytest
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from users.models import User
from users.services import sign_up

PASSWORD = "seven green bottles"

Committing = Callable[[], AbstractContextManager[object]]


@pytest.fixture
def alice(db: None) -> User:
    """Unlike elsewhere, she has a password to log in with."""
    return sign_up(
        username="alice", email="alice@example.com", password=PASSWORD, name="Alice Liddell"
    )


@pytest.fixture
def carol(db: None) -> User:
    return sign_up(username="carol", email="carol@example.com", password=PASSWORD)


@pytest.fixture
def alices_browser(alice: User, client: Client) -> Client:
    client.force_login(alice)
    return client


@pytest.fixture
def committing(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> Committing:
    """Runs what waits for the commit at the end of the block, even inside a test's transaction."""
    return partial(django_capture_on_commit_callbacks, execute=True)
