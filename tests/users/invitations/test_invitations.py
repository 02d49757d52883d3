"""Who may sign up: everybody, those with an invitation, or nobody."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from configuration.services import change_settings
from staff.models import AuditEntry
from tests.cast import browser_of, make_user
from tests.races import in_threads
from users.invitations.models import Invitation
from users.invitations.services import make_invitation, revoke_invitation
from users.models import User
from users.services import sign_up
from web.refusals import Refusal

PASSWORD = "seven green bottles"
ADMIN = "/admin/users/invitation/"


@pytest.fixture
def root(transactional_db: None) -> User:
    return make_user("root", is_staff=True, is_superuser=True)


@pytest.fixture
def by_invitation(root: User) -> None:
    change_settings(by=root, sign_up="invited")


@pytest.fixture
def closed(root: User) -> None:
    change_settings(by=root, sign_up="closed")


def form_of(name: str) -> dict[str, str]:
    return {"username": name, "email": f"{name}@example.com", "password": PASSWORD}


def join(name: str, code: str = "") -> User:
    return sign_up(**form_of(name), invitation=code)


def uses_of(invitation: Invitation) -> int:
    return Invitation.objects.get(pk=invitation.pk).uses


def test_a_code_can_not_be_guessed(root: User) -> None:
    codes = {make_invitation(by=root).code for _ in range(20)}
    assert len(codes) == 20
    assert {len(code) for code in codes} == {22}


@pytest.mark.usefixtures("by_invitation")
def test_who_is_invited_signs_up(root: User) -> None:
    invitation = make_invitation(by=root, note="The choir", most_uses=2)
    address = f"/signup/?invitation={invitation.code}"
    page = Client().get(address)
    assert page.status_code == 200
    assert 'name="username"' in page.content.decode()
    for name in ("alice", "bob"):
        assert Client().post(address, form_of(name)).status_code == 302
        assert User.objects.filter(username=name).exists()
    answer = Client().post(address, form_of("carol"))
    assert answer.status_code == 403
    assert "This invitation has been used up." in answer.content.decode()
    assert uses_of(invitation) == 2


@pytest.mark.usefixtures("by_invitation")
def test_a_sign_up_that_fails_uses_nothing_up(root: User) -> None:
    invitation = make_invitation(by=root)
    with pytest.raises(ValidationError):
        join("ROOT", invitation.code)
    assert uses_of(invitation) == 0
    join("alice", invitation.code)
    assert uses_of(invitation) == 1


def expire(invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(ends_at=timezone.now())


def use_up(invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(uses=1)


def revoke(invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(revoked_at=timezone.now())


@pytest.mark.usefixtures("by_invitation")
@pytest.mark.parametrize(
    ("end", "code", "words"),
    [
        (expire, "invitation_expired", "This invitation has expired."),
        (use_up, "invitation_used_up", "This invitation has been used up."),
        (revoke, "invitation_wrong", "This invitation is not valid."),
        (Invitation.delete, "invitation_wrong", "This invitation is not valid."),
    ],
)
def test_what_is_no_longer_valid_says_why(
    root: User, end: Callable[[Invitation], object], code: str, words: str
) -> None:
    invitation = make_invitation(by=root)
    written = invitation.code
    end(invitation)
    with pytest.raises(Refusal) as refused:
        join("alice", written)
    assert (refused.value.code, refused.value.status) == (code, 403)
    for answer in (
        Client().get(f"/signup/?invitation={written}"),
        Client().post(f"/signup/?invitation={written}", form_of("alice")),
    ):
        assert answer.status_code == 403
        assert words in answer.content.decode()
    said = Client().get(f"/signup/?invitation={written}", headers={"Accept": "application/json"})
    assert said.json()["code"] == code
    assert not User.objects.filter(username="alice").exists()


@pytest.mark.usefixtures("by_invitation")
@pytest.mark.parametrize("code", ["", "x", "x" * 100_000, "\0", "ü", "' OR 1=1 --"])
def test_nobody_signs_up_with_anything_else(code: str) -> None:
    with pytest.raises(Refusal):
        join("alice", code)
    assert Client().get("/signup/", {"invitation": code[:5_000]}).status_code == 403


@pytest.mark.usefixtures("closed")
def test_nobody_signs_up_where_it_is_closed(root: User) -> None:
    invitation = make_invitation(by=root)
    for code in ("", invitation.code):
        with pytest.raises(Refusal, match="Nobody can sign up at the moment"):
            join("alice", code)
    answer = Client().get("/signup/")
    assert answer.status_code == 403
    assert "Socialsite takes no new members" in answer.content.decode()


@pytest.mark.parametrize("who", ["invited", "closed"])
def test_no_button_leads_where_nobody_can_sign_up(root: User, who: str) -> None:
    for address in ("/", "/explore/", "/explore/tags/", "/login/"):
        assert 'href="/signup/' in Client().get(address).content.decode(), address
    change_settings(by=root, sign_up=who)
    for address in ("/", "/explore/", "/explore/tags/", "/login/"):
        page = Client().get(address).content.decode()
        assert "Sign up" not in page, address
        assert "Create an account" not in page, address


@pytest.mark.usefixtures("closed")
def test_who_runs_the_site_can_always_make_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", "--no-input", "--username=boss", "--email=boss@example.com")
    assert User.objects.get(username="boss").is_superuser


def test_an_open_site_needs_no_invitation_and_uses_none_up(root: User) -> None:
    invitation = make_invitation(by=root)
    join("alice", invitation.code)
    join("bob", "anything")
    assert uses_of(invitation) == 0


@pytest.mark.usefixtures("by_invitation")
def test_of_many_at_once_only_as_many_come_in_as_may(root: User) -> None:
    invitation = make_invitation(by=root, most_uses=3)
    names = [f"guest{number}" for number in range(8)]

    def try_to_join() -> bool:
        try:
            join(names.pop(), invitation.code)
        except Refusal:
            return False
        return True

    assert sum(in_threads(8, try_to_join)) == 3
    assert User.objects.filter(username__startswith="guest").count() == 3
    assert uses_of(invitation) == 3


@pytest.mark.parametrize(
    "wrong", [{"most_uses": 0}, {"most_uses": 10_001}, {"note": "x" * 201}, {"ends_at": "past"}]
)
def test_a_bad_invitation_is_refused(root: User, wrong: dict[str, Any]) -> None:
    if "ends_at" in wrong:
        wrong = {"ends_at": timezone.now() - timedelta(seconds=1)}
    with pytest.raises(ValidationError) as refused:
        make_invitation(by=root, **wrong)
    assert refused.value.message_dict.keys() == wrong.keys()
    assert not Invitation.objects.exists()


def test_only_administrators_invite(root: User) -> None:
    helper = make_user("helper", is_staff=True)
    with pytest.raises(PermissionDenied):
        make_invitation(by=helper)
    invitation = make_invitation(by=root)
    with pytest.raises(PermissionDenied):
        revoke_invitation(invitation=invitation, by=helper)
    assert browser_of(helper).get(ADMIN).status_code == 403
    assert browser_of(helper).post(f"{ADMIN}add/", {"most_uses": 1}).status_code == 403
    assert Invitation.objects.count() == 1


def test_an_administrator_makes_and_revokes_invitations_in_the_admin(root: User) -> None:
    browser = browser_of(root)
    form = {"note": "The choir", "most_uses": "5", "ends_at_0": "2099-01-01", "ends_at_1": "12:00"}
    assert browser.post(f"{ADMIN}add/", form).status_code == 302
    invitation = Invitation.objects.get()
    assert (invitation.note, invitation.most_uses, invitation.made_by) == ("The choir", 5, root)
    link = f"/signup/?invitation={invitation.code}"
    for address in (ADMIN, f"{ADMIN}{invitation.pk}/change/"):
        page = browser.get(address).content.decode()
        assert link in page
        assert "Valid" in page
    action = {"action": "revoke", "_selected_action": str(invitation.pk)}
    page = browser.post(ADMIN, action, follow=True).content.decode()
    assert "1 invitation is revoked." in page
    assert "Revoked" in page
    logged = AuditEntry.objects.order_by("pk").values_list("action", "words")
    assert list(logged) == [("added", ""), ("changed", "Revoked.")]


def test_who_may_only_look_sees_no_link(root: User) -> None:
    reader = make_user("reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_invitation"))
    invitation = make_invitation(by=root, note="The choir")
    for address in (ADMIN, f"{ADMIN}{invitation.pk}/change/"):
        page = browser_of(reader).get(address).content.decode()
        assert "The choir" in page
        assert invitation.code not in page


def test_a_mistake_in_the_form_is_marked_there(root: User) -> None:
    form = {"note": "", "most_uses": "0", "ends_at_0": "2001-01-01", "ends_at_1": "12:00"}
    answer = browser_of(root).post(f"{ADMIN}add/", form)
    assert answer.status_code == 200
    assert answer.context["adminform"].form.errors.keys() == {"most_uses", "ends_at"}
    assert not Invitation.objects.exists()


def test_an_invitation_outlives_the_account_that_made_it(root: User) -> None:
    invitation = make_invitation(by=root)
    User.objects.filter(pk=root.pk).delete()
    assert Invitation.objects.get(pk=invitation.pk).made_by is None
