"""What staff changed is written down, without secrets, and nobody can change what is written."""

import json
from datetime import UTC, datetime

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db import DatabaseError, connection, transaction
from django.test import Client

from staff import audit
from staff.models import Action, AppendOnlyError, AuditEntry
from staff.roles import Role
from staff.services import give_role, set_rights
from statuses.services import post_status
from tests.cast import browser_of, make_user
from tests.postgres import is_wanted as on_postgres
from users.models import User
from users.services import delete_account

USERS = "/admin/users/user/"
LOG = "/admin/staff/auditentry/"
REFUSED = "append-only"


@pytest.fixture
def entry(alice: User) -> AuditEntry:
    return audit.write(Action.CHANGED, alice, by=None, words="said so")


# What is written ----------------------------------------------------------------------------


def test_a_change_is_written_with_both_values(admin: Client, boss: User, alice: User) -> None:
    set_rights()
    group = Group.objects.get(name="Moderators")
    form = {"name": "Al", "bio": "", "email": "new@example.com", "is_active": "on"}
    form |= {"is_staff": "on", "groups": str(group.pk)}
    answer = admin.post(f"{USERS}{alice.pk}/change/", form, REMOTE_ADDR="192.0.2.7")
    assert answer.status_code == 302
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.by, entry.by_username, entry.role) == (
        *(Action.CHANGED, boss, "boss", "administrator"),
    )
    assert (entry.kind, entry.object_id, entry.object_text) == (
        *("users.user", str(alice.pk), "@alice"),
    )
    assert entry.address == "192.0.2.7"
    changes = {it["field"]: (it["before"], it["after"]) for it in entry.changes}
    assert changes == {
        "name": ("Alice Liddell", "Al"),
        "email": ("(hidden)", "(hidden)"),
        "is_staff": ("False", "True"),
        "groups": ("", "Moderators"),
    }


def test_no_secret_is_written(admin: Client, alice: User) -> None:
    password = {"usable_password": "true", "password1": "eight blue bottles"}
    password |= {"password2": "eight blue bottles"}
    assert admin.post(f"{USERS}{alice.pk}/password/", password).status_code == 302
    new = {"username": "dave", "email": "dave@example.com", **password}
    assert admin.post(f"{USERS}add/", new).status_code == 302
    User.objects.filter(pk=alice.pk).update(email="before@example.com")
    form = {"name": "ask al@example.com", "bio": "", "email": "after@example.com"}
    assert admin.post(f"{USERS}{alice.pk}/change/", form).status_code == 302
    written = json.dumps(list(AuditEntry.objects.values()), default=str)
    assert AuditEntry.objects.count() == 3
    for secret in ("bottles", "argon2", "@example.com"):
        assert secret not in written
    assert "ask (hidden)" in written


def test_additions_and_deletions_are_written(admin: Client) -> None:
    assert admin.post("/admin/auth/group/add/", {"name": "Helpers"}).status_code == 302
    groups = [Group.objects.get(name="Helpers"), Group.objects.create(name="Others")]
    admin.post(f"/admin/auth/group/{groups[0].pk}/delete/", {"post": "yes"})
    form = {"action": "delete_selected", "_selected_action": [groups[1].pk], "post": "yes"}
    admin.post("/admin/auth/group/", form)
    assert not Group.objects.exists()
    written = AuditEntry.objects.order_by("pk").values_list("action", "kind", "object_text")
    assert list(written) == [
        ("added", "auth.group", "Helpers"),
        ("deleted", "auth.group", "Helpers"),
        ("deleted", "auth.group", "Others"),
    ]


def test_a_deletion_that_is_refused_is_not_written(admin: Client, boss: User) -> None:
    group = Group.objects.create(name="Helpers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Group, "delete", _fail)
        patch.setattr("django.contrib.admin.ModelAdmin.delete_queryset", _fail)
        form = {"action": "delete_selected", "_selected_action": [group.pk], "post": "yes"}
        browser = Client(raise_request_exception=False)
        browser.force_login(boss)
        assert browser.post("/admin/auth/group/", form).status_code == 500
    assert not AuditEntry.objects.exists()


def _fail(*_: object) -> None:
    raise RuntimeError("not now")


def test_a_form_that_changes_nothing_leaves_no_entry(admin: Client) -> None:
    group = Group.objects.create(name="Helpers")
    admin.post(f"/admin/auth/group/{group.pk}/change/", {"name": "Helpers"})
    assert not AuditEntry.objects.exists()


def test_there_is_no_second_log(admin: Client) -> None:
    admin.post("/admin/auth/group/add/", {"name": "Helpers"})
    assert not LogEntry.objects.exists()


def test_a_deletion_on_the_site_is_written_too(alice: User, carol: User) -> None:
    give_role(user=carol, role=Role.MODERATOR)
    status = post_status(author=alice, text="a secret of hers")
    moderator = browser_of(User.objects.get(pk=carol.pk))
    moderator.post(f"/statuses/{status.pk}/delete/", REMOTE_ADDR="192.0.2.7")
    entry = AuditEntry.objects.get(action=Action.MEASURE)
    assert (entry.by, entry.role, entry.address) == (carol, "moderator", "192.0.2.7")
    assert entry.object_text == f"Post deleted: post {status.pk} by @alice"
    assert entry.whose == "alice"


def test_an_entry_outlives_who_wrote_it(boss: User, alice: User) -> None:
    written = audit.write(Action.CHANGED, alice, by=boss)
    boss_id = boss.pk
    delete_account(user=alice)
    delete_account(user=boss)
    left = AuditEntry.objects.get(pk=written.pk)
    assert (left.by_id, left.by_username, left.object_text) == (boss_id, "boss", "@alice")


def test_a_long_text_is_cut(alice: User) -> None:
    long = audit.write(Action.CHANGED, alice, by=None, words="x" * 5_000)
    assert len(long.words) == 200
    assert len(audit.change("bio", "y" * 5_000, "nul \0")["before"]) == audit.LONGEST_VALUE


# Nobody changes it --------------------------------------------------------------------------


def test_code_does_not_change_it(entry: AuditEntry) -> None:
    entry.words = "forged"
    for attempt in (
        entry.save,
        entry.delete,
        AuditEntry.objects.all().delete,
        lambda: AuditEntry.objects.update(words="forged"),
        lambda: AuditEntry.objects.bulk_update([entry], ["words"]),
    ):
        with pytest.raises(AppendOnlyError):
            attempt()
    assert AuditEntry.objects.get().words == "said so"


@pytest.mark.parametrize(
    "statement", ["UPDATE staff_auditentry SET words = 'forged'", "DELETE FROM staff_auditentry"]
)
def test_the_database_does_not_change_it(entry: AuditEntry, statement: str) -> None:
    with pytest.raises(DatabaseError, match=REFUSED), transaction.atomic():
        connection.cursor().execute(statement)
    assert AuditEntry.objects.get().words == "said so"


@pytest.mark.skipif(on_postgres(), reason="PostgreSQL has no REPLACE")
def test_no_entry_takes_the_place_of_another(entry: AuditEntry) -> None:
    with pytest.raises(DatabaseError, match=REFUSED), transaction.atomic():
        connection.cursor().execute("REPLACE INTO staff_auditentry SELECT * FROM staff_auditentry")


@pytest.mark.skipif(not on_postgres(), reason="SQLite has no TRUNCATE")
def test_the_table_is_not_emptied(entry: AuditEntry) -> None:
    with pytest.raises(DatabaseError, match=REFUSED), transaction.atomic():
        connection.cursor().execute("TRUNCATE staff_auditentry")


def test_administrators_do_not_change_it_either(admin: Client, entry: AuditEntry) -> None:
    page = f"{LOG}{entry.pk}/"
    assert admin.post(f"{page}change/", {"words": "forged"}).status_code == 403
    assert admin.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    assert admin.get(f"{LOG}add/").status_code == 403
    form = {"action": "delete_selected", "_selected_action": [entry.pk], "post": "yes"}
    admin.post(LOG, form)
    assert AuditEntry.objects.get().words == "said so"


# Reading it ---------------------------------------------------------------------------------


def found(admin: Client, **query: str) -> list[str]:
    return [it.words for it in admin.get(LOG, query).context["cl"].result_list]


def test_administrators_find_entries(admin: Client, boss: User, alice: User, carol: User) -> None:
    audit.write(Action.CHANGED, alice, by=boss, words="one")
    audit.write(Action.DELETED, carol, by=carol, words="two")
    year = str(datetime.now(UTC).year)
    for query, expected in (
        ({}, ["two", "one"]),
        ({"q": "@alice"}, ["one"]),
        ({"q": "carol"}, ["two"]),
        ({"q": "car"}, []),
        ({"who": "boss"}, ["one"]),
        ({"action__exact": "deleted"}, ["two"]),
        ({"on": year}, ["two", "one"]),
        ({"on": "1999"}, []),
        ({"on": "1999-13"}, ["two", "one"]),
        ({"on": "x", "q": "\0"}, ["two", "one"]),
    ):
        assert found(admin, **query) == expected, query
    page = admin.get(f"{LOG}{AuditEntry.objects.latest('pk').pk}/change/").content.decode()
    assert f'href="{USERS}{carol.pk}/change/"' in page
    assert "@carol" in page


def test_the_list_uses_its_indexes(admin: Client, django_assert_max_num_queries: object) -> None:
    queries = (
        AuditEntry.objects.order_by("-at", "-id"),
        AuditEntry.objects.filter(by_username="boss").order_by("-at", "-id"),
        AuditEntry.objects.filter(action="added").order_by("-at", "-id"),
        AuditEntry.objects.filter(whose="alice").order_by("-at", "-id"),
        AuditEntry.objects.filter(kind="users.user", object_id="7"),
    )
    if connection.vendor == "sqlite":
        for query in queries:
            assert "INDEX audit_by" in query[:100].explain()
            assert "TEMP B-TREE" not in query[:100].explain()


@pytest.mark.parametrize("role", [Role.MODERATOR, Role.SUPPORT])
def test_others_do_not_read_it(alice: User, entry: AuditEntry, role: Role) -> None:
    give_role(user=alice, role=role)
    browser = browser_of(User.objects.get(pk=alice.pk))
    assert browser.get(LOG).status_code == 403
    assert browser.get(f"{LOG}{entry.pk}/change/").status_code == 403


def test_the_history_of_a_thing_is_what_the_log_says(
    admin: Client, alice: User, carol: User
) -> None:
    form = {"name": "Al", "bio": "", "email": "alice@example.com", "is_active": "on"}
    admin.post(f"{USERS}{alice.pk}/change/", form)
    history = admin.get(f"{USERS}{alice.pk}/history/").content.decode()
    for words in ("@boss", "Changed", "Alice Liddell", "<td>Al</td>"):
        assert words in history
    assert "nothing about it" in admin.get(f"{USERS}{carol.pk}/history/").content.decode()
    assert "Changed" in admin.get("/admin/").content.decode()


def test_moderators_read_no_addresses_in_a_history(admin: Client, alice: User) -> None:
    form = {"name": "Al", "bio": "", "email": "al@example.com", "is_active": "on"}
    admin.post(f"{USERS}{alice.pk}/change/", form, REMOTE_ADDR="192.0.2.7")
    carol = make_user("carol")
    give_role(user=carol, role=Role.MODERATOR)
    history = browser_of(carol).get(f"{USERS}{alice.pk}/history/").content.decode()
    assert "@boss" in history
    assert "192.0.2.7" not in history
    assert "al@example.com" not in history
