"""Every refusal: its code, and a body that says what was wrong."""

from typing import Any

import pytest

from access.tokens import READ, create_token
from statuses.services import post_status
from tests import patient_http
from tests.streaming.server import StreamServer, stream_server
from users.models import User

FILTER = "/1.1/statuses/filter.json"
SAMPLE = "/1.1/statuses/sample.json"
FIREHOSE = "/1.1/statuses/firehose.json"


def refused(
    server: StreamServer, path: str, token: str | None = None, **request: Any
) -> tuple[int, str]:
    """Its status and error; a stream that opens instead has another status."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    method = request.pop("method", "GET")
    with patient_http.stream(method, server.url + path, headers=headers, **request) as answer:
        if answer.status_code == 200:
            return 200, ""
        answer.read()
        return answer.status_code, answer.json()["error"]


@pytest.mark.parametrize("path", [FILTER, SAMPLE, FIREHOSE])
def test_without_a_good_token_it_is_401(server: StreamServer, path: str, db: None) -> None:
    assert refused(server, path)[0] == 401
    assert refused(server, path, "nonsense")[0] == 401
    assert refused(server, path, params={"access_token": "nonsense"})[0] == 401


def test_a_token_is_taken_from_the_address_too(server: StreamServer, token: str) -> None:
    assert refused(server, SAMPLE, params={"access_token": token}) == (200, "")


def test_the_firehose_needs_its_permission(server: StreamServer, carol: User) -> None:
    _, reader = create_token(user=carol, name="reader", scopes=[READ])
    assert refused(server, SAMPLE, reader)[0] == 200
    assert refused(server, FIREHOSE, reader) == (
        403,
        "The firehose needs a token with firehose, of staff",
    )


def test_a_token_that_may_nothing_reads_nothing(server: StreamServer, carol: User) -> None:
    _, nothing = create_token(user=carol, name="nothing", scopes=[])
    assert refused(server, SAMPLE, nothing)[0] == 403


def test_a_suspended_account_is_403(server: StreamServer, token: str, carol: User) -> None:
    User.objects.filter(pk=carol.pk).update(is_active=False)
    assert refused(server, SAMPLE, token) == (403, "The account is suspended")


@pytest.mark.parametrize("path", ["/", "/1.1/statuses/other.json", "/1.1/statuses/sample"])
def test_no_such_stream_is_404(server: StreamServer, token: str, path: str) -> None:
    assert refused(server, path, token) == (404, f"There is no stream at {path}")


def test_another_method_is_405(server: StreamServer, token: str) -> None:
    assert refused(server, SAMPLE, token, method="PUT")[0] == 405


def test_a_wrong_parameter_is_406(server: StreamServer, token: str) -> None:
    status, error = refused(server, SAMPLE, token, params={"percent": "101"})
    assert (status, error) == (406, "percent must be a number from 1 to 100, not '101'")
    assert refused(server, SAMPLE + "?percent=%FF", token)[0] == 406


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"track": ",".join(f"word{n}" for n in range(401))}, "401 phrases; 400 are allowed"),
        ({"track": "x" * 1_000_001}, "The form has more than 256000 bytes"),
    ],
    ids=["phrases", "bytes"],
)
def test_too_many_values_are_413(
    server: StreamServer, token: str, asked: dict[str, str], said: str
) -> None:
    status, error = refused(server, FILTER, token, method="POST", data=asked)
    assert status == 413
    assert said in error


def test_unknown_parameters_are_ignored(server: StreamServer, token: str) -> None:
    assert refused(server, SAMPLE, token, params={"tweet_mode": "extended"})[0] == 200


@pytest.mark.parametrize(
    ("since_id", "said"),
    [
        *((text, "is not a position") for text in ("abc", "-1", "9" * 20, "9" * 5_000, "٣")),
        ("5", "reach back to"),
    ],
)
def test_a_bad_position_is_416(
    server: StreamServer, token: str, alice: User, since_id: str, said: str
) -> None:
    post_status(author=alice, text="so that something is kept")
    form = {"since_id": since_id}  # a form: no address is as long as some of these
    status, error = refused(server, SAMPLE, token, method="POST", data=form)
    assert status == 416
    assert said in error
    assert len(error) < 200


def test_a_position_ahead_of_everything_is_416(
    server: StreamServer, token: str, alice: User
) -> None:
    newest = post_status(author=alice, text="so that something is kept").pk
    tomorrow = newest + (24 * 3600 * 1000 << 12)
    for ahead in (tomorrow, 2**53):
        status, error = refused(server, SAMPLE, token, params={"since_id": str(ahead)})
        assert status == 416
        assert f"{ahead} is ahead of everything: the newest event is" in error


def test_connecting_too_often_is_420_and_a_full_server_503(carol: User, token: str) -> None:
    limits = {"STREAM_CONNECTS_PER_MINUTE": "3", "STREAM_CLIENTS": "1"}
    with stream_server("busy:", **limits) as server:
        headers = {"Authorization": f"Bearer {token}"}
        with patient_http.stream("GET", server.url + SAMPLE, headers=headers) as first:
            assert first.status_code == 200
            assert refused(server, SAMPLE, token)[0] == 503
        assert refused(server, FILTER, token)[0] == 406  # attempts count whatever becomes of them
        status, error = refused(server, SAMPLE, token)
        assert status == 420
        assert "try again in" in error
