import pytest
from django.core.management import call_command
from pytest_django import Settings

from processes import serve
from socialsite.key_fingerprint import OtherKey, accept_key, check_key
from socialsite.models import KeyFingerprint

pytestmark = pytest.mark.django_db


@pytest.fixture
def server_store(settings: Settings) -> None:
    settings.DATABASE_URL = "postgres://elsewhere"


@pytest.mark.usefixtures("server_store")
def test_the_key_of_the_first_host_is_that_of_the_others(settings: Settings) -> None:
    settings.SECRET_KEY = "ours"
    check_key()
    check_key()
    settings.SECRET_KEY = "made up by a second host"
    with pytest.raises(OtherKey, match="set SECRET_KEY to theirs"):
        check_key()
    settings.SECRET_KEY = "ours"
    check_key()


@pytest.mark.usefixtures("server_store")
def test_serve_refuses_to_start_with_another_key(settings: Settings) -> None:
    check_key()
    settings.SECRET_KEY = "another"
    with pytest.raises(serve.ServeError, match="accept_secret_key"):
        serve.check_secret_key()


@pytest.mark.usefixtures("server_store")
def test_a_key_can_be_changed_on_purpose(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    before = settings.SECRET_KEY
    check_key()
    settings.SECRET_KEY = "new"
    call_command("accept_secret_key")
    assert "Hosts with this SECRET_KEY start from now on" in capsys.readouterr().out
    check_key()
    settings.SECRET_KEY = before
    with pytest.raises(OtherKey):
        check_key()


@pytest.mark.usefixtures("server_store")
def test_the_record_gives_nothing_away(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    check_key()
    first = KeyFingerprint.objects.get().hashed
    assert settings.SECRET_KEY not in first
    accept_key()
    assert KeyFingerprint.objects.get().hashed != first, "salted"


def test_a_site_with_its_database_in_the_data_folder_is_never_bothered(settings: Settings) -> None:
    settings.DATABASE_URL = None
    check_key()
    assert not KeyFingerprint.objects.exists()
    settings.SECRET_KEY = "another"
    check_key()
