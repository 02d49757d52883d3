"""Who may hold how many streams, and for how long."""

from collections.abc import Callable
from contextlib import ExitStack, closing

import pytest
from django.conf import settings as site
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext
from oauth2_provider.models import AccessToken

from access import tokens
from access.tokens import create_token, look_up, revoke_token, tokens_of
from statuses.services import post_status
from streaming.server import admission, seats
from streaming.server.request import Request
from tests import patient_http
from tests.cast import browser_of
from tests.running_site import wait_for
from tests.streaming.conftest import Listen
from tests.streaming.server import StreamReader, StreamServer, stream_server
from tests.streaming.test_home_stream import EventSource
from users.models import User
from web.refusals import Refusal

SAMPLE = "/1.1/statuses/sample.json"


def test_revoking_a_token_closes_its_streams_at_once(
    listen: Listen, carol: User, alice: User
) -> None:
    row, other = create_token(user=carol, name="other")
    revoked, kept = listen(SAMPLE, token=other), listen(SAMPLE, params={"percent": 100})
    revoke_token(token=row)
    assert revoked.ended.wait(10)
    assert revoked.goodbye == 6
    reason = revoked.messages[-1]["disconnect"]["reason"]
    assert reason == "The token was revoked.", "it was told, and did not find out by itself"
    assert listen(SAMPLE, token=other).response.status_code == 401
    status = post_status(author=alice, text="still there")
    kept.wait(lambda it: it.ids == [status.pk])


@pytest.mark.long
def test_one_stream_too_many_closes_the_oldest_also_in_another_process(
    carol: User, token: str
) -> None:
    limit = {"STREAM_CONNECTIONS_PER_TOKEN": "2"}
    with stream_server("seats:", **limit) as one, stream_server("seats:", **limit) as other:
        servers = [one, other, one, other]
        listeners = []
        for count, server in enumerate(servers, start=1):
            listeners.append(StreamReader(server, SAMPLE, token))
            open_now = [it for it in listeners if not it.ended.is_set()]
            wait_for(lambda: sum(not it.ended.is_set() for it in listeners) <= 2)
            assert len(open_now) >= min(count, 2)
        oldest, second, *newest = listeners
        for pushed_out in (oldest, second):
            assert pushed_out.ended.wait(10)
            assert pushed_out.goodbye == 7
        assert not any(it.ended.is_set() for it in newest)
        for it in listeners:
            it.close()


def test_one_account_holds_a_bounded_number_of_streams_with_all_its_tokens_and_pages(
    carol: User, alice: User
) -> None:
    raws = [create_token(user=carol, name=f"bot {n}")[1] for n in range(3)]
    _, hers = create_token(user=alice, name="bot")
    limit = {"STREAM_CONNECTIONS_PER_USER": "3", "STREAM_CONNECTIONS_PER_TOKEN": "2"}
    with stream_server("account:", **limit) as server, ExitStack() as stack:

        def open_stream(token: str) -> StreamReader:
            return stack.enter_context(closing(StreamReader(server, SAMPLE, token)))

        other = open_stream(hers)
        first, second = open_stream(raws[0]), open_stream(raws[1])
        page = EventSource(server, browser_of(carol).cookies["sessionid"].value)
        third = open_stream(raws[2])
        assert first.ended.wait(10)
        assert first.goodbye == 7
        fourth = open_stream(raws[2])
        assert second.ended.wait(10)
        # Here the token makes way for its newest already, so no page has to.
        fifth = open_stream(raws[2])
        assert third.ended.wait(10)
        assert third.goodbye == 7
        assert page.messages == []
        assert not any(it.ended.is_set() for it in (other, fourth, fifth))


def test_who_guesses_too_often_is_told_to_wait_before_anything_is_looked_up(
    carol: User, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "BAD_TOKENS_PER_MINUTE", 3)
    guesses: list[tuple[Callable[..., object], dict[str, str], str | None]] = [
        (admission.admit_token, {}, "nonsense"),
        (admission.admit_session, {"cookie": f"{site.SESSION_COOKIE_NAME}=nonsense123"}, None),
        (admission.admit_token, {}, "nonsense"),
    ]
    for admit, headers, guess in guesses:
        assert refused_with(admit, headers, guess) == 401
    for _ in range(5):
        with CaptureQueriesContext(connection) as queries:
            assert refused_with(admission.admit_token, {}, token) == 420
            assert refused_with(*guesses[1]) == 420
        assert len(queries) == 0


def test_who_has_a_good_token_may_come_as_often_as_it_allows(
    carol: User, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "BAD_TOKENS_PER_MINUTE", 1)
    for _ in range(5):
        assert admission.admit_token(request_with({}), token).user_id == carol.pk


def refused_with(admit: Callable[..., object], headers: dict[str, str], guess: str | None) -> int:
    arguments = [request_with(headers)] + ([guess] if guess else [])
    with pytest.raises(Refusal) as refusal:
        admit(*arguments)
    return refusal.value.status


def request_with(headers: dict[str, str]) -> Request:
    async def receive() -> dict[str, object]:
        return {"type": "http.request"}

    scope = {
        "method": "GET",
        "path": SAMPLE,
        "query_string": b"",
        "client": ("192.0.2.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    return Request(scope, receive)


def test_a_token_is_stored_as_a_checksum_only(carol: User) -> None:
    row, raw = create_token(user=carol, name="bot")
    columns = AccessToken.objects.filter(pk=row.pk).values().get()
    assert raw not in str(columns)
    assert columns["token"] == ""
    assert look_up(raw).user_id == carol.pk


def test_an_expired_token_is_no_token(carol: User) -> None:
    row, raw = create_token(user=carol, name="bot")
    AccessToken.objects.filter(pk=row.pk).update(expires="2020-01-01T00:00Z")
    with pytest.raises(tokens.BadToken, match="unknown, revoked or expired"):
        look_up(raw)
    assert tokens.scopes_now([row.pk]) == {}


def test_somebody_has_a_bounded_number_of_tokens(
    carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 1)
    call_command("access_token", "carol")
    with pytest.raises(CommandError, match="You have 1 tokens"):
        call_command("access_token", "carol")


def test_the_command_prints_a_token_with_the_scopes_asked_for(
    carol: User, capsys: pytest.CaptureFixture[str]
) -> None:
    User.objects.filter(pk=carol.pk).update(is_staff=True)
    call_command("access_token", "@Carol", "--scopes", "read,firehose")
    listener = look_up(capsys.readouterr().out.strip())
    assert (listener.user_id, sorted(listener.scopes)) == (carol.pk, ["firehose", "read"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "There is no user nobody"),
        (["carol", "--scopes", "read,write"], "There is no scope write"),
        (["carol", "--scopes", "firehose"], "Only staff may have the firehose, and @carol is not"),
    ],
)
def test_the_command_says_what_is_wrong(carol: User, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("access_token", *arguments)


def test_pages_of_the_site_read_public_streams_without_a_token(
    server: StreamServer, carol: User, db: None
) -> None:
    session = f"{site.SESSION_COOKIE_NAME}={browser_of(carol).cookies['sessionid'].value}"

    def status(path: str, **headers: str) -> int:
        with patient_http.stream(
            "GET", server.url + path, headers={"Cookie": session, **headers}
        ) as it:
            return it.status_code

    assert status(SAMPLE, Origin=site.SITE_URL) == 200
    assert status(SAMPLE, Origin="http://evil.example") == 403
    assert status("/1.1/statuses/firehose.json") == 403
    assert status(SAMPLE, Cookie=f"{site.SESSION_COOKIE_NAME}=nonsense123") == 401


@pytest.fixture
def carols_browser(carol: User, client: Browser) -> Browser:
    client.force_login(carol)
    return client


def test_the_page_shows_a_new_token_once(carols_browser: Browser, carol: User) -> None:
    answer = carols_browser.post("/settings/tokens/", {"name": "my <bot>"})
    assert (answer.status_code, answer["Location"]) == (302, "/settings/tokens/")
    page = carols_browser.get("/settings/tokens/")
    raw = page.context["created"]
    assert f">{raw}</code>" in page.text
    assert page.headers["Cache-Control"].count("no-store") == 1
    assert look_up(raw).scopes == {"read"}
    again = carols_browser.get("/settings/tokens/").text
    assert raw not in again
    assert "my &lt;bot&gt;" in again
    assert tokens_of(carol).count() == 1


def test_what_leads_to_the_new_token_is_good_for_nothing_else(
    carols_browser: Browser, carol: User, alice: User
) -> None:
    carols_browser.post("/settings/tokens/", {"name": "bot"})
    cookie = carols_browser.cookies["created_token"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
    assert (cookie["path"], cookie["max-age"]) == ("/settings/tokens/", 60)
    stored = dict(carols_browser.session)
    assert cookie.value.partition(":")[0] not in str(stored)
    hers = browser_of(alice)
    hers.cookies["created_token"] = cookie.value
    assert hers.get("/settings/tokens/").context["created"] == ""


def test_only_staff_may_make_firehose_tokens_there(carols_browser: Browser, carol: User) -> None:
    form = {"name": "bot", "firehose": "on"}
    page = carols_browser.post("/settings/tokens/", form, follow=True)
    assert look_up(page.context["created"]).scopes == {"read"}
    User.objects.filter(pk=carol.pk).update(is_staff=True)
    page = carols_browser.post("/settings/tokens/", form, follow=True)
    assert look_up(page.context["created"]).scopes == {"read", "firehose"}


def test_the_page_revokes_ones_own_tokens_only(
    carols_browser: Browser, carol: User, alice: User
) -> None:
    mine, raw = create_token(user=carol, name="mine")
    others, _ = create_token(user=alice, name="hers")
    assert carols_browser.post(f"/settings/tokens/{others.pk}/revoke/").status_code == 404
    assert carols_browser.get(f"/settings/tokens/{mine.pk}/revoke/").status_code == 405
    carols_browser.post(f"/settings/tokens/{mine.pk}/revoke/")
    assert not tokens_of(carol).exists()
    assert tokens_of(alice).exists()
    with pytest.raises(tokens.BadToken):
        look_up(raw)


def test_a_token_without_a_name_is_refused(carols_browser: Browser, carol: User) -> None:
    assert carols_browser.post("/settings/tokens/", {"name": " "}).status_code == 400
    assert not tokens_of(carol).exists()


def test_visitors_log_in_first(client: Browser) -> None:
    assert client.get("/settings/tokens/").status_code == 302


def test_the_settings_lead_to_the_tokens_and_the_demo_to_the_streams(
    carols_browser: Browser,
) -> None:
    assert 'href="/settings/tokens/"' in carols_browser.get("/settings/").text
    demo = carols_browser.get("/developers/stream/")
    assert f'data-url="{site.STREAM_URL}/1.1/statuses/filter.json"' in demo.text
    assert f"connect-src 'self' {site.STREAM_URL};" in demo.headers["Content-Security-Policy"]
