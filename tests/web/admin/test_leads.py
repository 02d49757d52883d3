"""Where rows lead, and what is completed: only for those who may see it."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from statuses.models import Status
from statuses.services import post_status
from tests.cast import browser_of, make_user
from tests.moderation.conftest import complain
from users.models import User

COMPLETE = "/admin/autocomplete/"
OWNER = {"app_label": "lists", "model_name": "list", "field_name": "owner"}


@pytest.fixture
def boss(alice: User) -> Client:
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


def page_of(browser: Client, row: User | Status) -> str:
    opts = row._meta
    address = f"/admin/{opts.app_label}/{opts.model_name}/{row.pk}/change/"
    return browser.get(address).content.decode()


def staff(*rights: str) -> Client:
    clerk = make_user("clerk", is_staff=True)
    clerk.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return browser_of(clerk)


def test_a_person_leads_to_all_that_is_about_them(boss: Client, alice: User) -> None:
    page = page_of(boss, alice)
    for place in (
        *("statuses/status", "moderation/report", "moderation/measure", "users/session"),
        *("oauth2_provider/accesstoken", "relations/follow", "lists/list", "users/export"),
    ):
        address = f"/admin/{place}/?q=alice"
        assert f'href="{address}"' in page
        assert boss.get(address).status_code == 200


def test_a_post_leads_to_its_reports_and_its_thread(boss: Client, alice: User, carol: User) -> None:
    status = post_status(author=alice, text="tea")
    answer = post_status(author=carol, text="cake", reply_to=status.pk)
    report = complain(carol, status)
    address = f"/admin/moderation/report/?q={status.pk}"
    assert f'href="{address}"' in page_of(boss, status)
    assert list(boss.get(address).context["cl"].result_list) == [report]
    assert f'href="/admin/statuses/status/{status.pk}/change/"' in page_of(boss, answer)


def test_nobody_is_led_where_they_may_not_go(alice: User) -> None:
    page = page_of(staff("view_user", "view_status"), alice)
    assert "/admin/statuses/status/?q=alice" in page
    assert "/admin/users/session/" not in page
    assert "/redis/" not in page


def test_the_first_page_says_what_waits(boss: Client, alice: User, carol: User) -> None:
    assert "Nothing waits for you." in boss.get("/admin/").content.decode()
    complain(carol, alice)
    assert "1 case in the queue" in boss.get("/admin/").content.decode()
    assert "1 case in the queue" not in staff("view_user").get("/admin/").content.decode()


def test_names_are_completed_for_those_who_may_open_the_list(boss: Client, alice: User) -> None:
    found = boss.get(COMPLETE, OWNER | {"term": "@ali"}).json()
    assert found == {
        "results": [{"id": str(alice.pk), "text": "@alice"}],
        "pagination": {"more": False},
    }
    assert staff("view_list").get(COMPLETE, OWNER | {"term": "ali"}).status_code == 403


@pytest.mark.parametrize(
    "asked",
    [
        {},
        OWNER | {"term": "\x00"},
        OWNER | {"term": "a" * 5000},
        OWNER | {"page": "x"},
        OWNER | {"page": "9" * 40},
        OWNER | {"field_name": "name"},
        OWNER | {"field_name": "nothing"},
        OWNER | {"model_name": "nothing"},
        OWNER | {"app_label": "statuses", "model_name": "like", "field_name": "status"},
    ],
)
def test_strange_questions_are_refused(boss: Client, asked: dict[str, str]) -> None:
    assert boss.get(COMPLETE, asked).status_code in (200, 403, 404)
