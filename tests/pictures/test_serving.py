"""Files of pictures over HTTP, and storages that the settings name."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from pictures.kinds import JPEG, SMALL, WEBP, address, new_token, whole_address
from pictures.making import encode
from socialsite import env
from tests.cast import browser_of, make_user
from tests.pictures.drawing import halves, opened
from users.pictures.kinds import AVATAR

TYPES = {WEBP: "image/webp", JPEG: "image/jpeg", SMALL: "image/webp"}


@pytest.fixture
def token() -> str:
    made = new_token()
    encode(AVATAR, halves(400, 400)).save(made)
    return made


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    """On disk, as on a real site."""
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "media"},
        }
    }
    return tmp_path


@pytest.mark.parametrize("ending", TYPES)
def test_a_picture_may_be_kept_for_ever(client: Client, token: str, ending: str) -> None:
    answer = client.get(address(AVATAR, token, ending))
    assert answer.status_code == 200
    assert answer["Content-Type"] == TYPES[ending]
    assert answer["X-Content-Type-Options"] == "nosniff"
    caching = {part.strip() for part in answer["Cache-Control"].split(",")}
    assert caching == {"public", "max-age=31536000", "immutable"}
    assert "Cookie" not in answer.get("Vary", "")
    assert opened(answer.content).format == ("JPEG" if ending == JPEG else "WEBP")
    known = client.get(address(AVATAR, token, ending), headers={"If-None-Match": answer["ETag"]})
    assert (known.status_code, known.content) == (304, b"")
    head = client.head(address(AVATAR, token, ending))
    assert (head.content, head["Content-Length"]) == (b"", str(len(answer.content)))
    assert client.post(address(AVATAR, token, ending)).status_code == 405


@pytest.mark.django_db
def test_it_is_the_same_for_members(token: str) -> None:
    answer = browser_of(make_user("alice")).get(address(AVATAR, token))
    assert "private" not in answer["Cache-Control"]
    assert not answer.cookies


@pytest.mark.parametrize(
    "path",
    [
        "avatars/00/00000000000000000000.webp",
        "avatars/../secret.webp",
        "avatars/%2e%2e/%2e%2e/secret_key",
        "../secret_key",
        "/etc/passwd",
        "avatars/",
        "",
        "avatars/ab/abababababababababab.svg",
        "avatars/ab/abababababababababab.webp%00.html",
        "avatars/ab/abababababababababab.webp\n",
        "exports/ab/abababababababababab.webp",
        "avatars/ab/ABABABABABABABABABAB.webp",
    ],
)
def test_nothing_else_is_handed_out(client: Client, folder: Path, path: str) -> None:
    (folder / "secret_key").write_text("secret")
    (folder / "secret.webp").write_text("secret")
    answer = client.get(f"/media/{path}")
    assert answer.status_code == 404
    assert "immutable" not in answer.get("Cache-Control", "")


def test_files_are_in_the_folder_that_the_settings_name(
    client: Client, folder: Path, token: str
) -> None:
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert names == {f"{token}.webp", f"{token}.jpg", f"{token}-s.webp"}
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in folder.rglob("*"))
    assert client.get(address(AVATAR, token)).status_code == 200
    AVATAR.delete(token)
    AVATAR.delete(token)
    assert client.get(address(AVATAR, token)).status_code == 404


def test_another_storage_may_be_on_another_host(settings: Settings) -> None:
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.InMemoryStorage",
            "OPTIONS": {"base_url": "https://pictures.example/site/"},
        }
    }
    place = "https://pictures.example/site/avatars/ab/abab.webp"
    assert address(AVATAR, "abab") == place
    assert whole_address(AVATAR, "abab", WEBP) == place
    policy = Client().get("/robots.txt")["Content-Security-Policy"]
    assert "img-src 'self' data: https://pictures.example;" in policy


def test_pictures_of_this_site_need_no_other_host(client: Client) -> None:
    assert "img-src 'self' data:;" in client.get("/robots.txt")["Content-Security-Policy"]


@pytest.mark.parametrize("value", ["media/", "/media", "ftp://x/", "https://", "//x/", "/a/?b"])
def test_a_bad_address_stops_the_start(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("MEDIA_URL", value)
    with pytest.raises(ImproperlyConfigured, match="MEDIA_URL must look like /media/ or https"):
        env.base_address("MEDIA_URL", "/media/")


@pytest.mark.parametrize("value", ["/media/", "https://pictures.example/", "http://x:9000/b/"])
def test_good_addresses_do_not(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("MEDIA_URL", value)
    assert env.base_address("MEDIA_URL", "/media/") == value


def test_options_of_a_storage_are_json(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.options("MEDIA_STORAGE_OPTIONS") == {}
    monkeypatch.setenv("MEDIA_STORAGE_OPTIONS", '{"bucket_name": "pictures"}')
    assert env.options("MEDIA_STORAGE_OPTIONS") == {"bucket_name": "pictures"}
    for bad in ("{", "[]", "x"):
        monkeypatch.setenv("MEDIA_STORAGE_OPTIONS", bad)
        with pytest.raises(ImproperlyConfigured, match="must be a JSON object"):
            env.options("MEDIA_STORAGE_OPTIONS")
