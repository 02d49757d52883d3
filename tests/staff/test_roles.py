"""Who has which role, and what it gives them."""

import io

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import CommandError, call_command

from staff.models import AuditEntry
from staff.roles import GROUPS, RIGHTS, Role, may_only_look, roles_of
from staff.services import give_role, set_rights, take_role
from tests.cast import browser_of, make_user
from users.models import User

MODERATES = "moderation.change_report"


def command(*arguments: str) -> str:
    out = io.StringIO()
    call_command("role", *arguments, stdout=out)
    return out.getvalue()


def fresh(user: User) -> User:
    """Rights are kept by the object."""
    return User.objects.get(pk=user.pk)


@pytest.mark.parametrize(("role", "called"), [("moderator", "a moderator"), ("support", "support")])
def test_the_command_gives_and_takes_roles(alice: User, role: str, called: str) -> None:
    assert command("@ALICE", role) == f"@alice is {called}.\n"
    assert command("alice", role) == f"@alice is {called}, as before.\n"
    assert fresh(alice).is_staff
    assert fresh(alice).get_all_permissions() == set(RIGHTS[Role(role)])
    assert command("alice", role, "--remove") == f"@alice is no longer {called}.\n"
    assert command("alice", role, "--remove") == f"@alice is no longer {called}, as before.\n"
    assert not fresh(alice).is_staff
    assert fresh(alice).get_all_permissions() == set()


def test_an_administrator_may_do_everything(alice: User) -> None:
    assert command("alice", "administrator") == "@alice is an administrator.\n"
    assert (fresh(alice).is_staff, fresh(alice).is_superuser) == (True, True)
    assert (
        command("alice", "administrator", "--remove") == "@alice is no longer an administrator.\n"
    )
    assert (fresh(alice).is_staff, fresh(alice).is_superuser) == (False, False)


def test_nobody_is_made_up(transactional_db: None) -> None:
    with pytest.raises(CommandError, match="no user nobody_"):
        command("nobody_", "moderator")
    with pytest.raises(CommandError, match="invalid choice"):
        command("nobody_", "emperor")
    assert not Group.objects.exists()


def test_other_rights_and_roles_stay(alice: User, carol: User) -> None:
    give_role(user=alice, role=Role.MODERATOR)
    alice.user_permissions.add(Permission.objects.get(codename="view_list"))
    take_role(user=alice, role=Role.MODERATOR)
    assert fresh(alice).is_staff
    for role in Role:
        give_role(user=carol, role=role)
    assert roles_of(fresh(carol)) == list(Role)
    take_role(user=carol, role=Role.ADMINISTRATOR)
    assert roles_of(fresh(carol)) == [Role.MODERATOR, Role.SUPPORT]
    assert fresh(carol).is_staff


def test_staff_with_rights_of_their_own_lose_none_to_a_role_that_they_never_had(
    transactional_db: None,
) -> None:
    clerk = make_user("clerk", is_staff=True)
    assert not take_role(user=clerk, role=Role.MODERATOR)
    assert fresh(clerk).is_staff


def test_groups_get_the_rights_of_this_version(alice: User) -> None:
    """`serve` does that when it starts."""
    give_role(user=alice, role=Role.MODERATOR)
    group = Group.objects.get(name=GROUPS[Role.MODERATOR])
    group.permissions.set(Permission.objects.filter(codename="delete_user"))
    set_rights()
    assert fresh(alice).get_all_permissions() == set(RIGHTS[Role.MODERATOR])
    assert set(Group.objects.values_list("name", flat=True)) == set(GROUPS.values())


@pytest.mark.parametrize("role", RIGHTS)
def test_every_right_in_the_table_is_one(db: None, role: Role) -> None:
    known = Permission.objects.values_list("content_type__app_label", "codename")
    assert set(RIGHTS[role]) <= {f"{app}.{codename}" for app, codename in known}


def test_support_only_looks(alice: User, carol: User) -> None:
    give_role(user=alice, role=Role.SUPPORT)
    give_role(user=carol, role=Role.MODERATOR)
    assert may_only_look(fresh(alice))
    assert not may_only_look(fresh(carol))
    assert not may_only_look(make_user("boss", is_staff=True, is_superuser=True))


def test_support_sends_no_form(alice: User, carol: User) -> None:
    give_role(user=alice, role=Role.SUPPORT)
    browser = browser_of(alice)
    for address in ("/admin/", "/admin/users/user/", f"/admin/users/user/{carol.pk}/change/"):
        assert browser.get(address).status_code == 200
        answer = browser.post(address, {"name": "Mallory"})
        assert answer.status_code == 403
        assert "change nothing" in answer.content.decode()
    assert "carol@example.com" not in browser.get("/admin/users/user/").content.decode()
    assert browser.post("/admin/logout/").status_code == 302
    assert browser.get("/admin/").status_code == 302


def test_nobody_changes_the_groups_of_roles_by_hand(alice: User) -> None:
    set_rights()
    browser = browser_of(make_user("boss", is_staff=True, is_superuser=True))
    group = Group.objects.get(name=GROUPS[Role.SUPPORT])
    own = Group.objects.create(name="Translators")
    page = "/admin/auth/group/{}/change/"
    assert browser.get(page.format(group.pk)).status_code == 200
    assert browser.post(page.format(group.pk), {"name": "All"}).status_code == 403
    form = {"action": "delete_selected", "_selected_action": [group.pk, own.pk], "post": "yes"}
    assert browser.post("/admin/auth/group/", form).status_code == 403
    assert Group.objects.count() == len(GROUPS) + 1
    assert browser.post(page.format(own.pk), {"name": "Helpers"}).status_code == 302


def test_a_change_of_roles_is_logged(alice: User) -> None:
    boss = make_user("boss", is_staff=True, is_superuser=True)
    give_role(user=alice, role=Role.MODERATOR)
    give_role(user=alice, role=Role.MODERATOR)
    take_role(user=alice, role=Role.MODERATOR, by=boss)
    given, taken = AuditEntry.objects.order_by("pk")
    assert (given.by_username, given.role, given.address) == ("", "", "")
    assert (given.kind, given.object_id, given.object_text) == (
        *("users.user", str(alice.pk), "@alice"),
    )
    assert given.changes == [{"field": "role", "before": "", "after": "moderator"}]
    assert (taken.by, taken.by_username, taken.role) == (boss, "boss", "administrator")
    assert taken.changes == [{"field": "role", "before": "moderator", "after": ""}]


def test_make_admin_is_logged(alice: User) -> None:
    options = {"username": "overseer", "email": "root@example.com", "interactive": False}
    call_command("createsuperuser", verbosity=0, **options)
    entry = AuditEntry.objects.get()
    assert (entry.object_text, entry.by_username) == ("@overseer", "")
    assert entry.changes == [{"field": "role", "before": "", "after": "administrator"}]
