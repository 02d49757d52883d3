"""Tokens in the admin: read and revoked, nothing else."""

import pytest
from django.contrib import admin as site_admin
from django.test import Client
from oauth2_provider.models import AccessToken

from access.tokens import BadToken, create_token, look_up
from tests.cast import browser_of, make_user
from users.models import User

LIST = "/admin/oauth2_provider/accesstoken/"


@pytest.fixture
def admin(transactional_db: None) -> Client:
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


def test_tables_that_stay_empty_are_not_listed(admin: Client) -> None:
    page = admin.get("/admin/").content.decode()
    for name in ("grant", "idtoken", "refreshtoken", "application"):
        assert f"/admin/oauth2_provider/{name}/" not in page
        assert admin.get(f"/admin/oauth2_provider/{name}/").status_code == 404
    assert LIST in page


def test_every_page_of_the_admin_opens(admin: Client, alice: User) -> None:
    for model in site_admin.site._registry:
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert admin.get(address).status_code == 200, address


def test_tokens_are_shown_without_anything_of_the_token(admin: Client, alice: User) -> None:
    token, raw = create_token(user=alice, name="my bot")
    for address, shown in (
        (LIST, "my bot"),
        (f"{LIST}?q=alice", "my bot"),
        (f"{LIST}{token.pk}/change/", "my bot"),
        (f"{LIST}{token.pk}/delete/", f"AccessToken #{token.pk}"),
    ):
        page = admin.get(address).content.decode()
        assert shown in page
        assert raw not in page
        assert token.token_checksum not in page
        assert token.token_checksum[:12] not in page


def test_nobody_edits_a_token(admin: Client, alice: User) -> None:
    token, raw = create_token(user=alice, name="my bot")
    before = AccessToken.objects.values().get()
    form = {"token_checksum": "0" * 64, "scope": "read firehose", "user": "1"}
    assert admin.post(f"{LIST}{token.pk}/change/", form).status_code == 403
    assert admin.get(f"{LIST}add/").status_code == 403
    assert AccessToken.objects.values().get() == before
    assert look_up(raw).user_id == alice.pk


def test_deleting_revokes(admin: Client, alice: User) -> None:
    raws = [create_token(user=alice, name=name) for name in ("one", "two", "three")]
    admin.post(f"{LIST}{raws[0][0].pk}/delete/", {"post": "yes"})
    chosen = [raws[1][0].pk]
    admin.post(LIST, {"action": "delete_selected", "_selected_action": chosen, "post": "yes"})
    for _, raw in raws[:2]:
        with pytest.raises(BadToken):
            look_up(raw)
    assert look_up(raws[2][1]).user_id == alice.pk
