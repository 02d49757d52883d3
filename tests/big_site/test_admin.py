"""Every list, search, filter and row of the admin, from its register: none reads a table through,
however many rows it has.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application

from bench import population
from lists.models import List
from moderation.models import Category, Kind, Measure, Report
from relations.models import FollowRequest
from staff.roles import Role
from staff.services import give_role
from tests.big_site.site import ACCOUNTS, BigSite
from tests.big_site.work import watched
from tests.cast import browser_of, make_user
from users.models import Authenticator, Export, Session, User
from web.admin.page import AdminPage

pytestmark = [pytest.mark.long, pytest.mark.django_db, pytest.mark.timeout(600)]

MOST_QUERIES = 15
NOBODY = "nobody"
NOW = timezone.now()
LATER = NOW + timedelta(days=30)


@pytest.fixture(scope="module")
def busy_site(big_site: BigSite, django_db_blocker: Any) -> BigSite:
    """Everybody has a session, a token, a list and an export, and was reported once."""
    with django_db_blocker.unblock():
        user, owner = ({f"{it}_id": f"{big_site.ids[0]} + n"} for it in ("user", "owner"))
        account, one = {"account_id": user["user_id"]}, {"id": "1000 + n"}
        made_by = {"application_id": one["id"], "token_checksum": "'t' || n"}
        for row, columns in (
            (Session(expires_at=LATER), one | user | {"digest": "'d' || n"}),
            (Authenticator(user_id=0), one | user),
            (Export(user_id=0), one | user),
            (_application(), one | user | {"client_id": "'c' || n"}),
            (_token(), one | user | made_by),
            (List(owner_id=0, created_at=NOW), one | owner | {"name": "'list' || n"}),
            (_request(big_site), one | {"follower_id": user["user_id"]}),
            (_about(Measure, kind=Kind.WARN), one | account),
            (_report(), one | account | {"closed_with_id": one["id"]}),
        ):
            population.insert(row, ACCOUNTS - 1, **columns)
        # Others than those whose posts the other tests look at.
        User.objects.filter(pk__in=big_site.ids[4_321:4_324]).update(
            is_silenced=True, is_private=True
        )
        _let_them_come_one_by_one()
    return big_site


def _let_them_come_one_by_one() -> None:
    """One a minute; and PostgreSQL looks at all that there is."""
    minutes = "TIMESTAMPTZ '2025-01-01' + id * INTERVAL '1 minute'"
    if connection.vendor == "sqlite":
        minutes = "datetime('2025-01-01', id || ' minutes')"
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE users_user SET date_joined = {minutes}")
        if connection.vendor == "postgresql":
            cursor.execute("VACUUM ANALYZE")


def _application() -> Application:
    return Application(user_id=0, client_id="", created=NOW, updated=NOW)


def _token() -> AccessToken:
    return AccessToken(expires=LATER, created=NOW, updated=NOW, scope="read")


def _request(site: BigSite) -> FollowRequest:
    return FollowRequest(id=0, follower_id=0, followee_id=site.popular.pk)


def _about(model: type[Any], **fields: Any) -> Any:
    return model(account_id=0, username="u1", created_at=NOW, **fields)


def _report() -> Report:
    report: Report = _about(Report, category=Category.SPAM, is_open=False, closed_with_id=0)
    return report


def pages() -> list[AdminPage[Any]]:
    return [it for it in admin.site._registry.values() if isinstance(it, AdminPage)]


def address_of(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def addresses(page: AdminPage[Any], site: BigSite) -> Iterator[str]:
    """The list and its last page, searches, and the page of a row."""
    address = address_of(page.model)
    yield from (address, f"{address}?p=100", f"{address}?o=1.-2&all=&_facets=1")
    if page.finds:
        terms = ("u777", site.popular.username, NOBODY, str(site.oldest.pk), "1001", "u")
        yield from (f"{address}?q={it}" for it in terms)
    if page.opts.managed and (row := page.model._default_manager.order_by("-pk").first()):
        yield from (f"{address}{row.pk}/{it}/" for it in ("change", "history"))


def choices(browser: Client, address: str) -> Iterator[str]:
    """Each choice of each filter; and with the last date that is offered, each of the others."""
    table: Any = browser.get(address).context.get("cl")
    for spec in table.filter_specs if table else ():
        yield from (address + it["query_string"] for it in spec.choices(table))


@pytest.mark.parametrize("page", pages(), ids=lambda it: it.opts.label)
@pytest.mark.parametrize("who", ["boss", "moderator"])
def test_no_page_reads_a_table_through(busy_site: BigSite, page: AdminPage[Any], who: str) -> None:
    staff = make_user(who, is_staff=True, is_superuser=who == "boss")
    if who == "moderator":
        give_role(user=staff, role=Role.MODERATOR)
    browser = browser_of(staff)
    address = address_of(page.model)
    if browser.get(address).status_code == 403:
        return
    found = [*addresses(page, busy_site), *choices(browser, address)]
    periods, others = ([it for it in found if name in it] for name in ("?on=", "__exact="))
    found += [f"{period}&{it.partition('?')[2]}" for period in periods[:2] for it in others]
    wrong = []
    for it in dict.fromkeys(found):
        with watched() as work:
            answer = browser.get(it)
        assert answer.status_code in (200, 302), it
        wrong += [f"{it}: {work.statements} queries"] * (work.statements > MOST_QUERIES)
        wrong += [f"{it}: {plan}" for plan in work.found]
    assert not wrong, "\n\n".join(wrong)


def test_what_redis_holds_is_found_without_reading_a_table_through(busy_site: BigSite) -> None:
    browser = browser_of(make_user("boss", is_staff=True, is_superuser=True))
    for row in (busy_site.popular, busy_site.oldest, busy_site.list_):
        for query in ("", "?compare=yes"):
            with watched() as work:
                answer = browser.get(f"{address_of(type(row))}{row.pk}/redis/{query}")
            assert answer.status_code == 200
            assert work.found == []
