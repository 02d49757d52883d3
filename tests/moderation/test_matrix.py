"""Every role by every page of moderators, and by every form there: what this table says, and
nothing else. A page that the table does not know fails; what is refused changes nothing.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest
from django.core import serializers
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import Settings

from moderation.appeals.services import appeal
from moderation.models import Appeal, Case, Kind, Measure, Note, Report, Rule
from moderation.rules.services import add_rule
from moderation.services import take
from staff.models import AuditEntry
from staff.roles import Role
from staff.services import give_role
from statuses.models import Status
from tests.cast import browser_of, make_user
from tests.moderation.conftest import complain
from users.models import User

Roles = frozenset[str]
NOBODY: Roles = frozenset()
BOSS: Roles = frozenset({"administrator"})
MODERATORS = BOSS | {"moderator"}
STAFF = MODERATORS | {"support"}
WHO = ("visitor", "member", "support", "moderator", "administrator")
HELD = (Appeal, Case, Measure, Note, Report, Rule, Status, AuditEntry)


class Line(NamedTuple):
    """Who reads the page, and who sends its form. Of a page without either, nobody may."""

    reads: Roles
    sends: Roles
    form: Mapping[str, str] = {}


CASE = "moderation/cases/<id:case_id>/"
DECISION = {"choice": "delete", "reason": "Pills.", "seen": "1"}
RULE = {"kind": "words", "pattern": "pills", "action": "refuse", "category": "spam"}
MATRIX = {
    "moderation/": Line(STAFF, NOBODY),
    CASE: Line(STAFF, MODERATORS, DECISION),
    "moderation/cases/<id:case_id>/let-go/": Line(NOBODY, MODERATORS),
    # From the moderator who holds it.
    "moderation/cases/<id:case_id>/take-over/": Line(NOBODY, BOSS),
    "moderation/cases/<id:case_id>/notes/": Line(NOBODY, MODERATORS, {"text": "Once more."}),
    "moderation/rules/": Line(STAFF, MODERATORS, RULE),
    "moderation/rules/<id:rule_id>/switch/": Line(NOBODY, MODERATORS, {"off": "1"}),
    "moderation/rules/<id:rule_id>/remove/": Line(NOBODY, MODERATORS),
    "moderation/newcomers/": Line(STAFF, NOBODY),
    "moderation/appeals/": Line(STAFF, NOBODY),
    "moderation/appeals/<id:appeal_id>/": Line(
        STAFF, MODERATORS, {"decision": "refuse", "answer": "No."}
    ),
}


class Scene(NamedTuple):
    case_id: int
    rule_id: int
    appeal_id: int

    def address_of(self, route: str) -> str:
        return "/" + route.replace("<id:", "{").replace(">", "}").format(**self._asdict())


@pytest.fixture
def scene(spam: Status, dave: User, alice: User, mod: User, boss: User) -> Scene:
    give_role(user=make_user("helper"), role=Role.SUPPORT)
    give_role(user=make_user("mod_bea"), role=Role.MODERATOR)
    warning = take(Kind.WARN, dave, by=mod, reason="Pills.")
    rule = add_rule(rule=Rule(kind="words", pattern="casino"), by=mod)
    report = complain(alice, spam)
    made = appeal(measure=warning, account=dave, words="It was a joke.")
    return Scene(report.pk, rule.pk, made.pk)


def client_of(who: str) -> Client:
    names = {"moderator": "mod_bea", "administrator": "boss", "support": "helper"}
    if who == "visitor":
        return Client()
    return browser_of(User.objects.get(username=names.get(who, "alice")))


def digest() -> list[str]:
    """Of everything that these pages change."""
    texts = (serializers.serialize("json", model.objects.order_by("pk")) for model in HELD)
    return [hashlib.sha256(it.encode()).hexdigest() for it in texts]


@pytest.mark.parametrize("who", WHO)
def test_everybody_reads_what_the_table_says(scene: Scene, who: str) -> None:
    client = client_of(who)
    for route, line in MATRIX.items():
        answer = client.get(scene.address_of(route))
        assert (answer.status_code == 200) is (who in line.reads), route


@pytest.mark.parametrize("who", WHO)
def test_nobody_sends_more_than_the_table_says(scene: Scene, who: str) -> None:
    held_by_another(scene)
    client, before = client_of(who), digest()
    for route, line in MATRIX.items():
        if who not in line.sends:
            answer = client.post(scene.address_of(route), line.form)
            assert answer.status_code in (302, 403, 404, 405, 409), route
            assert digest() == before, route


@pytest.mark.parametrize(
    ("route", "who"), [(route, who) for route, line in MATRIX.items() for who in sorted(line.sends)]
)
def test_what_the_table_allows_happens(scene: Scene, route: str, who: str) -> None:
    client = client_of(who)
    if "take-over" in route:
        held_by_another(scene)
    else:
        client.get(scene.address_of(CASE))  # which takes it
    before = digest()
    assert client.post(scene.address_of(route), MATRIX[route].form).status_code == 302
    assert digest() != before


def held_by_another(scene: Scene) -> None:
    browser_of(User.objects.get(username="mod_ann")).get(scene.address_of(CASE))


@pytest.mark.parametrize("who", sorted(STAFF))
def test_without_the_second_factor_that_is_asked_of_them_nobody_enters(
    scene: Scene, settings: Settings, who: str
) -> None:
    settings.STAFF_NEEDS_TWO_FACTOR = True
    client, before = client_of(who), digest()
    for route, line in MATRIX.items():
        assert client.get(scene.address_of(route)).status_code != 200, route
        assert client.post(scene.address_of(route), line.form).status_code != 200, route
    assert digest() == before


def test_every_page_of_moderators_has_a_line() -> None:
    routes = {str(it.pattern) for it in pages_of(get_resolver())}
    assert {it for it in routes if it.startswith("moderation/")} == MATRIX.keys()


def pages_of(resolver: URLResolver) -> Iterator[URLPattern]:
    for it in resolver.url_patterns:
        if isinstance(it, URLResolver):
            yield from pages_of(it)
        else:
            yield it
