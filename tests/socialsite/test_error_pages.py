"""The debug page shows settings and local variables, but no passwords of stores."""

import pytest
from django.test import RequestFactory
from django.views.debug import technical_500_response
from pytest_django import Settings

from socialsite.error_pages import BLOT

REDIS_URL = "redis+sentinel://me:redis%2Fpass@h:26379/master/0?sentinel_password=sentinel%3Apass"


def debug_page(local_variable: str) -> str:
    try:
        raise OSError(f"can't connect to {local_variable}")
    except OSError as error:
        request = RequestFactory().get("/")
        return technical_500_response(request, type(error), error, error.__traceback__).text


@pytest.mark.parametrize(
    "secret", ["sql<pass>", "redis%2Fpass", "redis/pass", "sentinel:pass", "sentinel%3Apass"]
)
def test_passwords_are_blotted_out_wherever_they_stand(settings: Settings, secret: str) -> None:
    settings.DEBUG = True
    settings.DATABASE_URL = "postgres://me:sql%3Cpass%3E@db.example/name"
    settings.REDIS_URL = REDIS_URL
    settings.CACHES = settings.CACHES | {"other": {"LOCATION": REDIS_URL}}
    page = debug_page(f"redis://:{secret}@h")
    assert "db.example" in page
    assert BLOT in page
    assert secret not in page


def test_without_passwords_nothing_is_blotted_out(settings: Settings) -> None:
    settings.DEBUG = True
    assert "connect to here" in debug_page("here").replace("&#x27;", "'")
