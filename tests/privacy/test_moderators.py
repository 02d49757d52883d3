"""Moderators read what everybody sees and what was reported, and learn nothing of the rest: not
from a page, a count, a filter, or an answer that differs from the one about what never existed.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest
from django.test import Client, RequestFactory

from moderation.models import Kind, Measure
from moderation.services import take
from staff.roles import Role
from staff.services import give_role
from statuses.models import Status
from statuses.reactions.services import boost, like
from statuses.selectors import visible_or_404
from statuses.services import edit_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.moderation.conftest import complain
from users.audience import Visibility
from users.models import User
from users.services import change_privacy, request_deletion, silence, suspend

if TYPE_CHECKING:
    from django.db.models.options import Options

SECRET = "zanzibar"
ABSENT = "qwertzuiop"
STATUSES = "/admin/statuses/status/"
MEASURES = "/admin/moderation/measure/"
Meta: TypeAlias = "Options[Any]"
Lists: TypeAlias = list[tuple[Meta, str]]


@pytest.fixture(params=["moderator", "clerk"])
def staff(request: pytest.FixtureRequest, transactional_db: None) -> User:
    """The clerk has every right there is, but is no superuser."""
    staff = make_user(request.param, is_staff=True)
    give_role(user=staff, role=Role.MODERATOR)
    if request.param == "clerk":
        staff.user_permissions.set(Permission.objects.all())
    return User.objects.get(pk=staff.pk)


def hidden_post(alice: User, bob: User) -> Status:
    """For bob alone: with an earlier version, an answer, a like, and a language of its own."""
    status = post_status(
        author=alice, text=f"@bob {SECRET}", visibility=Visibility.MENTIONED, language="sw"
    )
    edit_status(status=status, by=alice, text=f"@bob let's meet in {SECRET}", warning=SECRET)
    seen = visible_or_404(status.pk, viewer=bob)
    like(user=bob, status=seen)
    post_status(author=bob, text=f"{SECRET} it is", reply_to=seen.id)
    drain()
    return status


def answer_to(browser: Client, address: str, *ours: object) -> tuple[int, str]:
    """What it says, without what differs each time and what was asked for."""
    answer = browser.get(address, follow=True)
    page = re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]*"', "", answer.content.decode())
    for it in ours:
        page = page.replace(str(it), "…")
    return answer.status_code, page


def lists_of(browser: Client) -> Lists:
    """Those that may be opened."""
    models = [model._meta for model in admin.site._registry]
    lists = [(it, f"/admin/{it.app_label}/{it.model_name}/") for it in models]
    return [(meta, address) for meta, address in lists if browser.get(address).status_code == 200]


def filters_of(meta: Meta, number: int, word: str) -> Iterator[tuple[str, object]]:
    """By every column, and through every relation."""
    for field in meta.get_fields(include_hidden=True):
        yield field.name, number
        if field.is_relation:
            yield f"{field.name}__id__gte", number
        yield f"{field.name}{'__text' * field.is_relation}__icontains", word


def is_allowed(meta: Meta, lookup: str, value: object, *, staff: User) -> bool:
    """As Django asks before it looks at a row."""
    list_ = admin.site._registry[meta.model]
    return list_.lookup_allowed(lookup, str(value), request_of(staff))


def request_of(staff: User) -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = staff
    return request


def asking_for(number: int, word: str, lists: Lists, staff: User) -> Iterator[str]:
    """Addresses of the admin with a number or a word in them."""
    for meta, address in lists:
        yield from (
            f"{address}?{it}" for it in (f"q={word}", f"q={number}", f"q={number}&_facets=1")
        )
        yield from (
            f"{address}{number}/{it}/" for it in ("change", "history", "delete", "password")
        )
        filters = [*filters_of(meta, number, word)]
        allowed = [it for it in filters if is_allowed(meta, *it, staff=staff)]
        refused = [it for it in filters if it not in allowed]
        # One of those that a list refuses shows that it does; the page is the same for all.
        yield from (f"{address}?{lookup}={value}" for lookup, value in (*allowed, *refused[:1]))
        yield (
            f"/admin/autocomplete/?app_label={meta.app_label}&model_name={meta.model_name}"
            f"&field_name=status&term={number}"
        )
    yield f"/admin/r/{ContentType.objects.get_for_model(Status).pk}/{number}/"
    yield f"/statuses/{number}/delete/"


def test_the_admin_does_not_tell_that_a_hidden_post_exists(
    staff: User, alice: User, bob: User
) -> None:
    browser = browser_of(staff)
    lists = lists_of(browser)
    pages = [f"{address}{it}" for _, address in lists for it in ("", "?_facets=1")]
    before = [answer_to(browser, address) for address in pages]
    hidden = hidden_post(alice, bob)
    assert [answer_to(browser, address) for address in pages] == before
    never = hidden.pk + 1
    for about_it, about_none in zip(
        asking_for(hidden.pk, SECRET, lists, staff),
        asking_for(never, ABSENT, lists, staff),
        strict=True,
    ):
        answer = answer_to(browser, about_it, hidden.pk, SECRET)
        assert answer == answer_to(browser, about_none, never, ABSENT), about_it


def actions_to_try(meta: Meta, staff: User) -> list[str]:
    """Those that the list offers, and one that it does not: Django answers all of them alike."""
    offered = admin.site._registry[meta.model].get_actions(request_of(staff))
    every = [*(kind.value for kind in Kind), "delete_selected"]
    others = [it for it in every if it not in offered]
    return [it for it in every if it in offered] + others[:1]


def test_no_measure_is_taken_by_the_number_of_a_hidden_post(
    staff: User, alice: User, bob: User
) -> None:
    hidden = hidden_post(alice, bob)
    browser = browser_of(staff)
    for meta, address in lists_of(browser):
        for kind in actions_to_try(meta, staff):
            form = {"action": kind, "_selected_action": [hidden.pk], "confirmed": "yes"}
            form |= {"seen": "0", "reason": "because", "post": "yes"}
            answer = browser.post(address, form, follow=True)
            assert SECRET not in answer.content.decode()
    assert browser.post(f"/statuses/{hidden.pk}/delete/").status_code == 404
    assert not Measure.objects.exists()
    assert Status.objects.filter(pk=hidden.pk, is_sensitive=False).exists()


def listed(browser: Client) -> set[Status]:
    return set(browser.get(STATUSES).context["cl"].result_list)


def test_what_was_reported_is_read_and_deleted(staff: User, alice: User, bob: User) -> None:
    hidden = hidden_post(alice, bob)
    browser = browser_of(staff)
    assert listed(browser) == set()
    report = complain(bob, hidden)
    assert listed(browser) == {hidden}
    for address in (f"{STATUSES}{hidden.pk}/change/", f"/admin/moderation/report/{report.pk}/"):
        assert SECRET in browser.get(address, follow=True).content.decode()
    form = {"action": "delete_status", "_selected_action": [hidden.pk], "confirmed": "yes"}
    browser.post(STATUSES, form | {"seen": "0", "reason": "because"})
    measure = Measure.objects.get()
    assert SECRET in browser.get(f"{MEASURES}{measure.pk}/change/").content.decode()


def test_only_what_authors_show_to_everybody_is_listed(staff: User, alice: User, bob: User) -> None:
    people = {it: make_user(it) for it in ("erin", "frank", "grace", "heidi")}
    shown = {
        post_status(author=alice, text="public"),
        post_status(author=alice, text="unlisted", visibility=Visibility.UNLISTED),
        *(post_status(author=people[it], text="public") for it in ("erin", "frank")),
    }
    post_status(author=alice, text="psst", visibility=Visibility.FOLLOWERS)
    left = post_status(author=people["grace"], text="now of a private account")
    post_status(author=people["heidi"], text="of somebody who leaves")
    assert boost(user=bob, status=visible_or_404(left.pk, viewer=bob))
    silence(user=people["erin"])
    suspend(user=people["frank"])
    change_privacy(user=people["grace"], is_private=True, default_visibility=Visibility.PUBLIC)
    request_deletion(user=people["heidi"])
    assert listed(browser_of(staff)) == shown
    boss = make_user("boss", is_staff=True, is_superuser=True)
    assert len(listed(browser_of(boss))) == Status.objects.count() == 8


def test_a_report_about_ones_own_hidden_post_stays_unknown(
    staff: User, alice: User, bob: User
) -> None:
    mine = post_status(author=staff, text=f"@bob {SECRET}", visibility=Visibility.MENTIONED)
    complain(bob, mine)
    assert listed(browser_of(staff)) == set()


def test_moderators_do_not_read_what_superusers_did_to_hidden_posts(
    staff: User, alice: User, bob: User
) -> None:
    hidden = hidden_post(alice, bob)
    boss = make_user("boss", is_staff=True, is_superuser=True)
    measure = take(Kind.DELETE_STATUS, hidden, by=boss, reason="an order of a court")
    page = f"{MEASURES}{measure.pk}/change/"
    assert SECRET in browser_of(boss).get(page).content.decode()
    told = browser_of(staff).get(page).content.decode()
    assert SECRET not in told
    assert "Only administrators can read it" in told
    assert "an order of a court" in told


def test_the_site_leads_moderators_to_no_page_that_they_can_not_open(
    staff: User, alice: User
) -> None:
    name = staff.username
    direct = post_status(author=alice, text=f"@{name} hi", visibility=Visibility.MENTIONED)
    public = post_status(author=alice, text=f"@{name} hi")
    drain()
    for status, leads in ((direct, False), (public, True)):
        menu = browser_of(staff).get(f"/@alice/{status.pk}/menu/").content.decode()
        assert (f"{STATUSES}{status.pk}/change/" in menu) is leads
        assert f"/statuses/{status.pk}/report/" in menu
