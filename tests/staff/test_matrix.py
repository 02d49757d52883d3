"""Every role by every page of the admin by every action: what this table says, and nothing else.

A model that is registered without a line here fails, and so does a page or an action that its line
does not know. After everything that was refused, the tables hold what they held before.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from django.contrib import admin
from django.contrib.admin.utils import quote, unquote
from django.contrib.auth.models import Group
from django.contrib.messages import get_messages
from django.db import connection, transaction
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import Settings

from access.tokens import create_token
from configuration.services import change_settings
from insight.log import store as log_store
from insight.log.message import Line as LogLine
from insight.log.message import Lines, Message
from insight.log.selectors import overview
from insight.models import Log, Place
from lists.services import add_to_list, create_list
from moderation.models import CannedAnswer, Kind
from moderation.reporting import report_account
from moderation.services import take
from redistools.client import get_client
from redistools.scripts import Batch
from relations.services import follow
from staff.roles import Role
from staff.services import give_role, set_rights
from statuses.services import post_status
from tags.models import Tag
from taskqueue import failed_tasks, start
from taskqueue.backend import get_backend
from taskqueue.models import FailedTask
from tests.cast import browser_of, make_user
from tests.taskqueue.observe import drain
from tests.taskqueue.tasks import fail_once_and_for_all
from users.invitations.services import make_invitation
from users.models import Authenticator, Export, User

Roles = frozenset[str]
NOBODY: Roles = frozenset()
BOSS: Roles = frozenset({"administrator"})
MODERATORS = BOSS | {"moderator"}
STAFF = MODERATORS | {"support"}
WHO = ("visitor", "member", "support", "moderator", "administrator")


@dataclass(frozen=True)
class Line:
    view: Roles
    add: Roles = NOBODY
    change: Roles = NOBODY
    delete: Roles = NOBODY
    actions: Mapping[str, Roles] = field(default_factory=dict)
    # Further pages, by the names of their addresses: who opens them, and who sends their form.
    pages: Mapping[str, tuple[Roles, Roles]] = field(default_factory=dict)
    # Which row is tried; the first one if nothing is said.
    row: str | None = None


# What Django says, and what we say of failed tasks.
IGNORED = {"No action selected.", "Choose an action and one or more tasks."}

DELETE = {"delete_selected": BOSS}
REDIS = {"redis": (BOSS, BOSS)}
# Their lists are forms of their own: what to send, and no actions.
FORMS_FOR_LISTS = {"configuration.sitesettings": {"name": "Larkspur"}}


def measures(*kinds: Kind) -> dict[str, Roles]:
    return dict.fromkeys((kind.value for kind in kinds), MODERATORS)


ON_POSTS = (Kind.DELETE_STATUS, Kind.MARK_SENSITIVE, Kind.UNMARK_SENSITIVE)
ON_ACCOUNTS = tuple(kind for kind in Kind if kind not in (*ON_POSTS, Kind.DISMISS))

MATRIX = {
    "auth.group": Line(
        view=BOSS, add=BOSS, change=BOSS, delete=BOSS, actions=DELETE, row="Helpers"
    ),
    # One row, whose form stands in place of the list.
    "configuration.sitesettings": Line(view=BOSS, change=BOSS),
    # How many members are where, in place of a list.
    "insight.place": Line(view=BOSS | {"support"}),
    # What fails: moderators have no use for it.
    "insight.log": Line(view=BOSS | {"support"}),
    "lists.list": Line(view=BOSS, delete=BOSS, actions=DELETE, pages=REDIS),
    "lists.listmember": Line(view=BOSS),
    "moderation.cannedanswer": Line(view=BOSS, add=BOSS, change=BOSS, delete=BOSS, actions=DELETE),
    "moderation.measure": Line(view=STAFF),
    "moderation.report": Line(view=STAFF, actions=measures(*Kind)),
    "oauth2_provider.accesstoken": Line(view=BOSS, delete=BOSS, actions=DELETE),
    "relations.follow": Line(view=BOSS),
    "relations.followrequest": Line(view=BOSS),
    "staff.auditentry": Line(view=BOSS),
    "statuses.status": Line(view=STAFF, actions=measures(*ON_POSTS), pages=REDIS),
    "tags.tag": Line(view=BOSS),
    "taskqueue.failedtask": Line(
        view=BOSS | {"support"}, change=BOSS, actions={"retry": BOSS, "discard": BOSS}
    ),
    "users.authenticator": Line(view=BOSS, delete=BOSS, actions=DELETE),
    "users.export": Line(view=BOSS),
    # Once made, an invitation is revoked, and not changed.
    "users.invitation": Line(view=BOSS, add=BOSS, actions={"revoke": BOSS}),
    "users.session": Line(view=BOSS, delete=BOSS, actions=DELETE),
    "users.user": Line(
        view=STAFF,
        add=BOSS,
        change=BOSS,
        delete=BOSS,
        actions=DELETE | measures(*ON_ACCOUNTS),
        pages={"auth_user_password_change": (BOSS, BOSS)} | REDIS,
        row="@carol",
    ),
}

# Pages of no model. What they list is up to the lines above.
SITE_PAGES = {
    "index": STAFF,
    "password_change": STAFF,
    "password_change_done": STAFF,
    "jsi18n": STAFF,
    "autocomplete": STAFF,
}
QUERIES = {
    "autocomplete": "?term=c&app_label=relations&model_name=follow&field_name=follower",
}
# Pages of an app that are about no row.
INSIGHT = BOSS | {"support"}
APP_PAGES = {
    "/admin/insight/": INSIGHT,
    "/admin/insight/posts.csv": INSIGHT,
    "/admin/insight/memory.csv": INSIGHT,
}
# The door is open to all, and Django's detour to the page of any row to nobody.
NOT_TRIED = {"login", "logout", "view_on_site", "app_list", None}


# What to send where an empty form is not enough to be heard.
FORMS = {"taskqueue_failedtask_change": {"action": "retry"}}


class Try(NamedTuple):
    """A request, and who is answered."""

    method: str
    address: str
    allowed: Roles
    form: Mapping[str, Any] = {}

    def __str__(self) -> str:
        return f"{self.method} {self.address} {dict(self.form) or ''}"


# The scene: a row of everything ---------------------------------------------------------------


@pytest.fixture
def scene(db: None) -> None:
    set_rights()
    dave, carol = make_user("dave"), make_user("carol")
    status = post_status(author=dave, text="Buy pills now")
    follow(follower=carol, followee=dave)
    report_account(reporter=carol, account=dave, category="spam", words="")
    boss = make_user("boss", is_staff=True, is_superuser=True)
    take(Kind.MARK_SENSITIVE, status, by=boss, reason="pills")
    create_list(owner=carol, name="birds", is_private=False)
    create_token(user=carol, name="mine", scopes={"read"})
    Tag.objects.create(name="heron")
    eve = make_user("eve", is_private=True)
    follow(follower=carol, followee=eve)
    add_to_list(list_=create_list(owner=carol, name="people", is_private=False), user=dave)
    Export.objects.create(user=carol)
    browser_of(carol).get("/")
    change_settings(by=boss, name="Larkspur")
    make_invitation(by=boss, note="", most_uses=1, ends_at=None)
    CannedAnswer.objects.create(measure="warn", language="en", title="Spam", words="Stop that.")
    Authenticator.objects.create(user=carol, secret="x", confirmed_at=carol.date_joined)
    Group.objects.create(name="Helpers")
    Place.objects.create(number=1, country="DE")
    get_backend("default").enqueue_many([start.call(fail_once_and_for_all)])
    drain()
    log_something()


def log_something() -> None:
    batch, at = Batch(get_client()), time.time()
    lines = Lines(LogLine(at, "It failed", "web"), times=1)
    log_store.add(batch, {(Message("warning", "app", "It failed"), int(at) // 3600): lines})
    batch.run()


def client_of(who: str) -> Client:
    if who == "visitor":
        return Client()
    user = make_user(f"the_{who}"[:30])
    if who != "member":
        give_role(user=user, role=Role(who))
    return browser_of(User.objects.get(pk=user.pk))


def id_of_row(model: type[Model], line: Line) -> str:
    if model is Log:
        [said] = overview("warning").newest
        return quote(said.page)
    if model is FailedTask:
        [task] = failed_tasks.newest("default", start=0, limit=1)
        return quote(f"default:{task.id}")
    rows = [row for row in model._default_manager.order_by("pk") if line.row in (None, str(row))]
    assert rows, f"The scene has no row of {model._meta.label_lower}: make one there"
    return str(rows[0].pk)


# What is tried --------------------------------------------------------------------------------


def tries() -> Iterator[Try]:
    for name, allowed in SITE_PAGES.items():
        yield Try("GET", reverse(f"admin:{name}") + QUERIES.get(name, ""), allowed)
    for address, allowed in APP_PAGES.items():
        yield Try("GET", address, allowed)
    for model, pages in admin.site._registry.items():
        yield from _tries_of(model, pages)


def _tries_of(model: type[Model], pages: Any) -> Iterator[Try]:
    meta = model._meta
    line = MATRIX[meta.label_lower]
    row = id_of_row(model, line)
    may_open = {**line.pages, **_usual(line)}
    for name in names_of(pages):
        suffix = name.removeprefix(f"{meta.app_label}_{meta.model_name}_")
        readers, writers = may_open[suffix]
        ids = [] if suffix in ("changelist", "add") else [row]
        address = reverse(f"admin:{name}", args=ids)
        yield Try("GET", address, readers)
        if suffix != "changelist":  # its actions are below
            yield Try("POST", address, writers, FORMS.get(name, {"post": "yes"}))
    changelist = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    if own_form := FORMS_FOR_LISTS.get(meta.label_lower):
        yield Try("POST", changelist, line.change, own_form)
        return
    for action, allowed in [*line.actions.items(), ("no_such_action", NOBODY)]:
        chosen = unquote(row).partition(":")[2] if model is FailedTask else row
        form = {"action": action, "_selected_action": [chosen], "post": "yes"}
        yield Try("POST", changelist, allowed, form)


def _usual(line: Line) -> dict[str, tuple[Roles, Roles]]:
    return {
        "changelist": (line.view, line.view),
        "add": (line.add, line.add),
        "change": (line.view, line.change),
        "history": (line.view, line.view - {"support"}),
        "delete": (line.delete, line.delete),
    }


def names_of(pages: Any) -> list[str]:
    """Without Django's address of old, which only leads to the page of a row."""
    return [it.name for it in pages.get_urls() if it.name]


# How it was answered --------------------------------------------------------------------------


def send(client: Client, it: Try) -> bool:
    client.cookies.pop("messages", None)  # what was said of earlier requests
    ask = client.get if it.method == "GET" else client.post
    answer: Any = ask(it.address, it.form)
    return not is_turned_away(answer) and not (it.method == "POST" and is_ignored(answer))


def is_turned_away(answer: Any) -> bool:
    to_the_door = answer.status_code == 302 and answer["Location"].startswith("/admin/login/")
    return bool(answer.status_code == 403 or to_the_door)


def is_ignored(answer: Any) -> bool:
    """An action that is not offered is answered with the list, or leads back there."""
    said = {str(it) for it in get_messages(answer.wsgi_request)}
    return bool(said & IGNORED) or "cl" in (answer.context or ())


def undone(client: Client, it: Try) -> bool:
    with transaction.atomic():
        answered = send(client, it)
        transaction.set_rollback(True)
    return answered


def digest() -> dict[str, str]:
    """Of every table but that of sessions, which remembers when each was used."""
    tables = set(connection.introspection.table_names()) - {"users_session"}
    with connection.cursor() as cursor:
        return {table: _digest_of(cursor, table) for table in sorted(tables)} | {
            "failed tasks": str(failed_tasks.count("default"))
        }


def _digest_of(cursor: Any, table: str) -> str:
    cursor.execute(f'SELECT * FROM "{table}"')
    rows = sorted(map(repr, cursor.fetchall()))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def differences(client: Client, who: str) -> list[str]:
    every = list(tries())
    refused = [it for it in every if who not in it.allowed]
    allowed = [it for it in every if who in it.allowed]
    before = digest()
    wrong = [f"{who} is answered: {it}" for it in refused if send(client, it)]
    changed = [table for table, value in digest().items() if before[table] != value]
    wrong += [f"what {who} was refused has changed {table}" for table in changed]
    return wrong + [f"{who} is refused: {it}" for it in allowed if not undone(client, it)]


@pytest.mark.parametrize("who", WHO)
def test_everybody_may_what_the_table_says(scene: None, who: str) -> None:
    assert differences(client_of(who), who) == []


@pytest.mark.parametrize("who", sorted(STAFF))
def test_staff_without_the_second_factor_may_nothing(
    scene: None, settings: Settings, who: str
) -> None:
    settings.STAFF_NEEDS_TWO_FACTOR = True
    client = client_of(who)
    before = digest()
    assert [str(it) for it in tries() if send(client, it)] == []
    assert digest() == before


# The table is whole ---------------------------------------------------------------------------


def test_every_model_of_the_admin_has_a_line() -> None:
    registered = {model._meta.label_lower for model in admin.site._registry}
    missing = registered - MATRIX.keys()
    assert not missing, (
        f"{', '.join(sorted(missing))}: in the admin without a line in MATRIX. Say there "
        "which roles may view, add, change and delete it and take its actions, and make a row of "
        "it in the scene"
    )
    assert MATRIX.keys() <= registered, "MATRIX has lines for what the admin no longer shows"


def test_every_page_and_action_of_a_model_is_in_its_line(scene: None) -> None:
    request = RequestFactory().get("/admin/")
    request.user = User.objects.get(username="boss")
    unknown = []
    for model, pages in admin.site._registry.items():
        meta, line = model._meta, MATRIX[model._meta.label_lower]
        prefix = f"{meta.app_label}_{meta.model_name}_"
        names = {name.removeprefix(prefix) for name in names_of(pages)}
        unknown += [f"page {prefix}{it}" for it in names - {*line.pages, *_usual(line)}]
        unknown += [
            f"action {it} of {meta.label_lower}"
            for it in pages.get_actions(request).keys() - line.actions.keys()
            if model is not FailedTask
        ]
    assert not unknown, f"{', '.join(unknown)}: say in MATRIX who may"


def test_every_page_of_the_site_is_known() -> None:
    models = {name for pages in admin.site._registry.values() for name in names_of(pages)}
    names = {getattr(it, "name", None) for it in admin.site.get_urls()}
    unknown = names - models - SITE_PAGES.keys() - NOT_TRIED
    assert not unknown, f"{unknown}: say in SITE_PAGES who may open it"
