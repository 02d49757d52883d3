"""Every page of the admin, found by the register: a new table is here by itself."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets, label_for_field
from django.contrib.auth.models import Group
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from access.tokens import create_token
from configuration.models import SiteSettings
from insight.models import Log, Place
from lists.services import add_to_list, create_list
from moderation.models import CannedAnswer, Category, Kind, Report
from moderation.services import take
from redistools.client import get_client
from relations.models import FollowRequest, follow_ids
from relations.services import follow
from statuses.models import Status
from statuses.services import post_status
from taskqueue.drain import drain
from taskqueue.models import FailedTask
from tests.cast import browser_of, make_user
from tests.outages import redis_away
from users.invitations.services import make_invitation
from users.models import Authenticator, Export, User
from web.admin.page import AdminPage

ROW = re.compile(r"^\| (\w+) \| (\w+) \|", re.MULTILINE)
DOCUMENT = (settings.BASE_DIR / "docs" / "admin.md").read_text()
# As `users.NameWord`.
LEFT_OUT = {".".join(row) for row in ROW.findall(DOCUMENT.partition("## What is not in it")[2])} - {
    "app.table"
}
MOST_QUERIES = 15
CHINESE = re.compile(r"[\u4e00-\u9fff]")
INLINE = re.compile(r"<style|<[^>]+ style=|<[^>]+ on\w+=|<script(?![^>]* src=)")
# The names of things are the same everywhere.
NO_WORDS = {"id", "ID", "pk"}


def pages() -> list[type[Model]]:
    return list(admin.site._registry)


def our_pages() -> list[AdminPage[Any]]:
    return [it for it in admin.site._registry.values() if isinstance(it, AdminPage)]


def address_of(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


@pytest.fixture
def boss(transactional_db: None) -> Client:
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


@pytest.fixture
def rows(alice: User, bob: User, carol: User) -> None:
    """Two of each, so that a query for each row shows."""
    boss_of_all = make_user("chief", is_superuser=True)
    for author in (bob, carol):
        status = post_status(author=author, text=f"#tag{author.pk} by {author.username}")
        create_token(user=author, name="bot")
        add_to_list(list_=create_list(owner=author, name="friends"), user=alice)
        FollowRequest.objects.create(
            id=follow_ids.next(get_client()), follower=author, followee=alice
        )
        browser_of(author).get("/")
        Authenticator.objects.create(user=author, secret="x")
        Export.objects.create(user=author)
        report = Report.objects.create(
            account=author, username=author.username, status=status, category=Category.SPAM
        )
        take(Kind.WARN, report, by=make_user(f"mod{author.pk}", is_superuser=True), reason="stop")
        Group.objects.create(name=author.username)
        make_invitation(by=boss_of_all)
        CannedAnswer.objects.create(measure="warn", language="en", title=author.username, words="!")
        Place.objects.create(number=author.pk, country="DE", city=author.username)
    follow(follower=carol, followee=alice)
    drain()


def test_every_table_has_a_page_or_a_reason_to_have_none() -> None:
    tables = {model._meta.label for model in apps.get_models(include_auto_created=False)}
    with_page = {model._meta.label for model in pages()}
    assert with_page | LEFT_OUT == tables
    assert with_page & LEFT_OUT == set()


def test_every_page_stands_on_the_one_base() -> None:
    others = [it for it in admin.site._registry.values() if not isinstance(it, AdminPage)]
    assert others == []


def test_who_may_delete_does_it_by_a_service() -> None:
    for page in our_pages():
        if "delete" in page.allows and page.model is not FailedTask:
            assert type(page).remove is not AdminPage.remove, page


def addresses(model: type[Model]) -> Iterator[str]:
    """The list, a search, each choice of each filter, and the page of a row."""
    page, address = admin.site._registry[model], address_of(model)
    yield address
    if getattr(page, "finds", ()):
        yield from (f"{address}?q={term}" for term in ("alice", "1", "nothing like it"))
    row = model._default_manager.order_by("-pk").first() if model._meta.managed else None
    if row is not None:
        yield f"{address}{row.pk}/change/"
        yield f"{address}{row.pk}/history/"


def choices_of(browser: Client, address: str) -> list[str]:
    table: Any = (browser.get(address).context or {}).get("cl")
    specs = table.filter_specs if table else []
    return [address + it["query_string"] for spec in specs for it in spec.choices(table)]


def test_every_page_takes_few_queries(boss: Client, rows: None) -> None:
    for model in pages():
        if model not in (FailedTask, Log, SiteSettings):
            assert model._default_manager.count() > 1, model
        for address in [*addresses(model), *choices_of(boss, address_of(model))]:
            with CaptureQueriesContext(connection) as queries:
                answer = boss.get(address)
            assert answer.status_code == 200, address
            assert len(queries) <= MOST_QUERIES, address
            # The policy forbids it (`web/middleware.py`).
            assert not INLINE.search(answer.content.decode()), address


def test_a_list_asks_nothing_for_each_row(
    boss: Client, rows: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for page in admin.site._registry.values():
        address, counts = address_of(page.model), []
        boss.get(address)
        for shown in (50, 1):
            monkeypatch.setattr(page, "list_per_page", shown)
            with CaptureQueriesContext(connection) as queries:
                boss.get(address)
            counts.append(len(queries))
        assert counts[0] == counts[1], address


def test_every_page_speaks_chinese(boss: Client, rows: None) -> None:
    """What the page itself says: its name, its columns, its fields, its filters."""
    with translation.override("zh-hans"):
        for page in admin.site._registry.values():
            words = set(words_of(page))
            bare = {it for it in words if not CHINESE.search(it)} - NO_WORDS
            assert bare == set(), page


def words_of(page: Any) -> Iterator[str]:
    model = page.model
    yield from (str(it) for it in (page.opts.verbose_name, page.opts.verbose_name_plural))
    yield str(page.opts.app_config.verbose_name)
    if page.search_help_text:
        yield str(page.search_help_text)
    shown = (*page.list_display, *flatten_fieldsets(page.fieldsets or ()), *(page.fields or ()))
    for name in shown:
        if name != "__str__":
            yield str(label_for_field(name, model, page))


def test_without_redis_the_admin_is_read_from_sql(boss: Client, rows: None) -> None:
    boss.raise_request_exception = False
    alice = User.objects.get(username="alice")
    with redis_away():
        assert boss.get("/admin/").status_code == 200
        for model in (User, Status, Report):
            assert boss.get(address_of(model)).status_code == 200
        # These are all about Redis.
        assert boss.get(address_of(FailedTask)).status_code == 503
        assert boss.get(address_of(Log)).status_code == 503
        assert boss.get(f"{address_of(User)}{alice.pk}/redis/").status_code == 503
