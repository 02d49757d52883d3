"""What moderators say to somebody, on every page until it was read."""

from collections import Counter

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from moderation import services
from moderation.models import AccountWarning, Kind
from moderation.services import take
from statuses.services import post_status
from tests.cast import browser_of, clicks
from tests.round_trips import counting_round_trips
from upkeep import checking
from users.models import User

PAGES = ["/", "/explore/", "/@dave/", "/settings/", "/lists/", "/no/such/page/"]
WORDS = "No pills here, please.\n<b>Really.</b>"


@pytest.fixture
def warning(dave: User, mod: User) -> AccountWarning:
    take(Kind.WARN, dave, by=mod, reason=WORDS)
    return AccountWarning.objects.get()


def address_of(warning: AccountWarning) -> str:
    return f"/warnings/{warning.pk}/acknowledge/"


def unread(account: User) -> int:
    return User.objects.get(pk=account.pk).unread_warnings


def test_the_warned_see_it_on_every_page_until_they_say_so(
    dave: User, carol: User, warning: AccountWarning
) -> None:
    browser = browser_of(dave)
    for address in PAGES:
        page = browser.get(address).content.decode()
        assert "No pills here, please.<br>&lt;b&gt;Really." in page
        assert f'action="{address_of(warning)}"' in page
        banner = page.partition('class="notice warning"')[2].partition("</section>")[0]
        assert "pills" in banner
        assert "mod_ann" not in banner
    assert "pills" not in browser_of(carol).get("/@dave/").content.decode()
    assert "pills" not in Client().get("/@dave/").content.decode()
    answer = browser.post(address_of(warning), {"next": "/explore/"})
    assert (answer.status_code, answer["Location"]) == (302, "/explore/")
    for address in PAGES:
        assert "pills" not in browser.get(address).content.decode()
    warning.refresh_from_db()
    assert warning.acknowledged_at is not None


def test_reading_twice_changes_nothing(dave: User, mod: User, warning: AccountWarning) -> None:
    take(Kind.WARN, dave, by=mod, reason="And no tea.")
    assert unread(dave) == 2
    first = browser_of(dave).get("/").content.decode()
    assert first.index("no tea") < first.index("No pills"), "the newest first"
    assert clicks([browser_of(dave) for _ in range(4)], address_of(warning)) == [302] * 4
    assert unread(dave) == 1
    page = browser_of(dave).get("/").content.decode()
    assert "no tea" in page
    assert "No pills" not in page


def test_nobody_else_reads_it_for_them(
    client: Client, dave: User, carol: User, mod: User, warning: AccountWarning
) -> None:
    for other in (carol, mod):
        assert browser_of(other).post(address_of(warning)).status_code == 404
    assert client.post(address_of(warning))["Location"].startswith("/login/")
    assert browser_of(dave).get(address_of(warning)).status_code == 405
    assert browser_of(dave).post("/warnings/4711/acknowledge/").status_code == 404
    forger = Client(enforce_csrf_checks=True)
    forger.force_login(dave)
    assert forger.post(address_of(warning)).status_code == 403
    assert unread(dave) == 1


def test_others_pay_nothing_for_it(
    alice: User,
    bob: User,
    warning: AccountWarning,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    post_status(author=alice, text="hello")
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        assert browser.get("/").status_code == 200
    assert len(trips) <= 5, trips.sent


def test_a_wrong_counter_is_found_and_repaired(
    dave: User, mod: User, warning: AccountWarning, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)
    assert not list(checking.differences(None, Counter()))
    User.objects.filter(pk=dave.pk).update(unread_warnings=7)
    (found,) = checking.differences(None, Counter())
    assert "unread_warnings 7 instead of 1" in str(found)
    call_command("check_timelines", "--repair")
    assert unread(dave) == 1
    services.acknowledge(warning=warning)
    assert not list(checking.differences(None, Counter()))


def test_an_old_copy_of_the_account_does_not_bring_warnings_back(
    dave: User, warning: AccountWarning
) -> None:
    old = User.objects.get(pk=dave.pk)
    services.acknowledge(warning=warning)
    old.name = "Dave"
    old.save()
    assert unread(dave) == 0
