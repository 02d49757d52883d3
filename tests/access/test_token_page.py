"""The page of tokens: when each was last used, and how to get rid of all of them."""

from datetime import timedelta
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application
from pytest_django import DjangoAssertNumQueries

from access.models import TokenUse
from access.tokens import (
    TOKEN_LENGTH,
    BadToken,
    create_token,
    last_use,
    look_up,
    revoke_all,
    tokens_of,
)
from tests.cast import browser_of
from tests.users.test_races import at_once
from users.models import User

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/settings/tokens/"


def page_of(user: User) -> str:
    return browser_of(user).get(PAGE).content.decode()


def test_it_says_when_a_token_was_last_used(alice: User) -> None:
    _, raw = create_token(user=alice, name="my bot")
    assert "never used" in page_of(alice)
    look_up(raw)
    today = timezone.now()
    page = page_of(alice)
    assert "my bot" in page
    assert f"last used on {today:%-d %B %Y}" in page


def test_a_command_takes_no_token_for_an_option(alice: User) -> None:
    made = [create_token(user=alice, name="bot")[1] for _ in range(10)]
    assert all(raw.isalnum() and len(raw) == TOKEN_LENGTH for raw in made)
    assert len(set(made)) == len(made)


def test_only_the_first_use_of_a_day_is_written(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token, raw = create_token(user=alice, name="bot")
    look_up(raw)
    with django_assert_num_queries(1):
        look_up(raw)
    yesterday = timezone.now().date() - timedelta(days=1)
    TokenUse.objects.update(used_on=yesterday)
    look_up(raw)
    assert last_use(tokens_of(alice).get(pk=token.pk)) == timezone.now().date()


def test_many_first_uses_at_once_are_one(alice: User) -> None:
    _, raw = create_token(user=alice, name="bot")
    at_once([partial(look_up, raw)] * 8)
    assert TokenUse.objects.count() == 1


def test_a_use_that_is_refused_is_no_use(alice: User) -> None:
    token, raw = create_token(user=alice, name="bot")
    AccessToken.objects.filter(pk=token.pk).update(expires=timezone.now())
    with pytest.raises(BadToken):
        look_up(raw)
    assert not TokenUse.objects.exists()


def test_all_tokens_are_revoked_at_once(alice: User, carol: User) -> None:
    raws = [create_token(user=alice, name=f"bot {number}")[1] for number in range(3)]
    _, hers = create_token(user=carol, name="hers")
    look_up(raws[0])
    answer = browser_of(alice).post(f"{PAGE}revoke-all/", follow=True)
    assert "Revoked: 3 tokens." in answer.content.decode()
    assert not tokens_of(alice).exists()
    assert Application.objects.count() == 1
    for raw in raws:
        with pytest.raises(BadToken):
            look_up(raw)
    assert look_up(hers).user_id == carol.pk
    assert revoke_all(user_id=alice.pk) == 0, "twice changes nothing"


def test_a_link_revokes_nothing(alice: User) -> None:
    create_token(user=alice, name="bot")
    assert browser_of(alice).get(f"{PAGE}revoke-all/").status_code == 405
    assert Client().post(f"{PAGE}revoke-all/")["Location"].startswith("/login/")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(f"{PAGE}revoke-all/").status_code == 403
    assert tokens_of(alice).exists()
