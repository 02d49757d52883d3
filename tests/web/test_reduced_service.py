"""When a view is called a second time, and what marks its answer."""

import threading

import pytest
import redis
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from redistools.outages.breaker import RedisAway
from web.pages.reduced_service import from_sql_while_redis_is_away, is_reduced


@pytest.fixture
def request_() -> HttpRequest:
    return RequestFactory().get("/")


def fails_with(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    "error", [redis.TimeoutError("silent"), redis.ResponseError("MISCONF the disk is full")]
)
def test_the_view_is_called_again_with_what_needs_no_redis(
    request_: HttpRequest, error: Exception
) -> None:
    @from_sql_while_redis_is_away(read=lambda: "from SQL")
    def view(request: HttpRequest, *, read=lambda: fails_with(error)) -> HttpResponse:  # type: ignore[no-untyped-def] # any function
        return HttpResponse(f"{read()}, reduced: {is_reduced(request)}")

    answer = view(request_)
    assert answer.content == b"from SQL, reduced: True"
    assert answer["X-Degraded"] == "redis"
    assert answer["Cache-Control"] == "no-store"


def test_an_answer_with_redis_is_left_alone(request_: HttpRequest) -> None:
    @from_sql_while_redis_is_away(where="SQL")
    def view(request: HttpRequest, *, where: str = "Redis") -> HttpResponse:
        return HttpResponse(f"{where}, reduced: {is_reduced(request)}")

    answer = view(request_)
    assert answer.content == b"Redis, reduced: False"
    assert not answer.has_header("X-Degraded")


@pytest.mark.parametrize(
    "error",
    [ValueError("a bug"), redis.ResponseError("ERR a bug"), OperationalError("SQL is away")],
)
def test_what_sql_can_not_help_with_is_raised(request_: HttpRequest, error: Exception) -> None:
    @from_sql_while_redis_is_away(helps=True)
    def view(_request: HttpRequest, *, helps: bool = False) -> HttpResponse:
        assert not helps
        raise error

    with pytest.raises(type(error)):
        view(request_)


def test_only_some_are_made_at_once_and_their_places_come_back(request_: HttpRequest) -> None:
    inside, leave = threading.Event(), threading.Event()

    @from_sql_while_redis_is_away(at_once=1, is_away=True)
    def view(_request: HttpRequest, *, is_away: bool = False) -> HttpResponse:
        if not is_away:
            raise redis.ConnectionError
        inside.set()
        assert leave.wait(20)
        return HttpResponse()

    first = threading.Thread(target=view, args=[request_])
    first.start()
    assert inside.wait(20)
    with pytest.raises(RedisAway):
        view(RequestFactory().get("/"))
    leave.set()
    first.join()
    assert view(RequestFactory().get("/")).status_code == 200
