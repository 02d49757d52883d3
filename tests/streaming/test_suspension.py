"""Streams of an account that is suspended."""

from tests.streaming.conftest import Listen
from users.models import User
from users.services import restore, suspend

SAMPLE = "/1.1/statuses/sample.json"


def test_a_suspension_ends_the_accounts_streams_and_its_tokens_are_refused(
    listen: Listen, carol: User
) -> None:
    stream = listen(SAMPLE)
    suspend(user=carol)
    assert stream.ended.wait(10)
    assert stream.goodbye == 6
    assert listen(SAMPLE).response.status_code == 403
    restore(user=carol)
    assert listen(SAMPLE).response.status_code == 200
