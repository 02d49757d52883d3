from datetime import timedelta

import pytest
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application

from access import tasks, tokens
from taskqueue.periodic import registry
from users.models import User

pytestmark = pytest.mark.django_db


LONG_AGO = tokens.EXPIRED_KEPT + timedelta(minutes=1)


def expire(token: AccessToken, ago: timedelta = LONG_AGO) -> None:
    AccessToken.objects.filter(pk=token.pk).update(expires=timezone.now() - ago)


def test_expired_tokens_are_removed_with_their_applications(alice: User, bob: User) -> None:
    old, _ = tokens.create_token(user=alice, name="old script")
    kept, _ = tokens.create_token(user=alice, name="script")
    others, _ = tokens.create_token(user=bob, name="script")
    expire(old)
    tasks.remove_expired_tokens.call()
    assert set(AccessToken.objects.values_list("pk", flat=True)) == {kept.pk, others.pk}
    applications = {kept.application_id, others.application_id}
    assert set(Application.objects.values_list("pk", flat=True)) == applications


def test_an_application_with_an_address_outlives_its_tokens(alice: User) -> None:
    token, _ = tokens.create_token(user=alice, name="client")
    Application.objects.update(redirect_uris="https://client.example/done")
    expire(token)
    tasks.remove_expired_tokens.call()
    assert (AccessToken.objects.count(), Application.objects.count()) == (0, 1)


def test_owners_see_for_a_while_that_a_token_has_expired(alice: User) -> None:
    token, _ = tokens.create_token(user=alice, name="script")
    expire(token, timedelta(days=1))
    tasks.remove_expired_tokens.call()
    assert tokens.tokens_of(alice).get() == token


def test_any_number_is_removed(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "REMOVED_AT_ONCE", 2)
    for number in range(5):
        expire(tokens.create_token(user=alice, name=f"script {number}")[0])
    tasks.remove_expired_tokens.call()
    assert AccessToken.objects.count() == 0


def test_they_are_removed_every_hour() -> None:
    entry = registry[tasks.remove_expired_tokens.module_path]
    assert entry.every == timedelta(hours=1)
