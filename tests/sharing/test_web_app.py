import json
from pathlib import Path

import pytest
from django.conf import settings as site
from django.test import Client
from PIL import Image

from configuration.site import Site
from tests.cast import browser_of
from users.models import User


def test_the_manifest_names_the_site_and_its_icons(client: Client) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer["Content-Type"] == "application/manifest+json"
    manifest = json.loads(answer.content)
    assert manifest["name"] == Site.name
    assert manifest["display"] == "standalone"
    assert [it["url"] for it in manifest["shortcuts"]] == ["/#compose", "/notifications/"]
    assert {(it["sizes"], it["purpose"]) for it in manifest["icons"]} == {
        ("192x192", "any"),
        ("512x512", "any"),
        ("512x512", "maskable"),
    }
    for icon in manifest["icons"]:
        with Image.open(file_of(icon["src"])) as picture:
            assert f"{picture.width}x{picture.height}" == icon["sizes"]
            assert picture.format == "PNG"


def file_of(address: str) -> Path:
    return Path(site.BASE_DIR, address.lstrip("/"))


@pytest.mark.django_db
def test_pages_lead_to_the_manifest_and_the_icon(client: Client) -> None:
    page = client.get("/").content.decode()
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page
    assert '<link rel="apple-touch-icon" href="/static/img/apple-touch-icon.png">' in page
    with Image.open(file_of("static/img/apple-touch-icon.png")) as picture:
        assert picture.size == (180, 180)


def test_the_service_worker_is_small_and_covers_the_site(client: Client) -> None:
    answer = client.get("/sw.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert answer["Service-Worker-Allowed"] == "/"
    assert answer["Cache-Control"] == "no-cache"
    assert len(answer.content) < 2_048
    assert "&quot;" not in answer.content.decode()
    again = client.get("/sw.js", headers={"if-none-match": answer["ETag"]})
    assert again.status_code == 304


def test_the_offline_page_is_the_same_for_everybody(client: Client, alice: User) -> None:
    page = client.get("/offline/")
    assert "You're offline" in page.content.decode()
    assert browser_of(alice).get("/offline/").content == page.content
    assert not page.cookies
