"""The site behind Debian's nginx with the configuration from `deploy/`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.nginx import HOST, Proxy, nginx
from tests.ports import free_ports
from tests.running_site import RunningSite, running_site, temporary_folder, wait_for

PASSWORD = "correct horse battery"
POST = (
    "from statuses.services import post_status; from users.models import User;"
    "post_status(author=User.objects.get(username='alice'), text='through the proxy')"
)


@pytest.fixture(scope="module")
def site(migrated_database: Path) -> Iterator[RunningSite]:
    address = f"https://{HOST}"
    proxied = {"SITE_URL": address, "STREAM_URL": address, "TRUSTED_PROXIES": "1"}
    with running_site(migrated_database, WEB_WORKERS="1", **proxied) as site:
        yield site


@pytest.fixture(scope="module")
def proxy(site: RunningSite) -> Iterator[Proxy]:
    http_port, https_port = free_ports(2)
    with (
        temporary_folder() as folder,
        nginx(site, folder, http_port=http_port, https_port=https_port) as proxy,
    ):
        yield proxy


def test_pages_static_files_and_streams_come_through(site: RunningSite, proxy: Proxy) -> None:
    with proxy.client() as client:
        _sign_up(client)
        assert "@alice" in client.get("/@alice/").text

        css = re.search(r'href="(/static/[^"]+\.css)"', client.get("/explore/").text)
        assert css is not None
        assert "immutable" in client.get(css[1]).headers["Cache-Control"]

        token = site.manage("access_token", "alice").stdout.strip()
        query = {"access_token": token, "track": "proxy"}
        with client.stream("GET", "/1.1/statuses/filter.json", params=query) as stream:
            assert stream.status_code == 200
            site.run(POST)
            texts = (json.loads(line).get("text") for line in stream.iter_lines() if line.strip())
            assert next(text for text in texts if text) == "through the proxy"
    line = '"GET /1.1/statuses/filter.json HTTP/1.1" 200'
    wait_for(lambda: line in proxy.logged(), what="the stream to be logged")
    assert token not in proxy.logged()


def _sign_up(client: httpx.Client, name: str = "alice") -> None:
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', client.get("/signup/").text)
    assert token is not None
    form = {"username": name, "email": f"{name}@example.com", "password": PASSWORD}
    answer = client.post(
        "/signup/",
        data=form | {"csrfmiddlewaretoken": token[1]},
        headers={"Referer": f"https://{HOST}/signup/"},
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, "/welcome/")


def test_http_is_sent_to_our_own_https_address_whatever_host_was_asked_for(proxy: Proxy) -> None:
    answer = httpx.get(
        f"http://127.0.0.1:{proxy.http_port}/explore/?a=b", headers={"Host": "evil.example"}
    )
    assert answer.status_code == 301
    assert answer.headers["Location"] == f"https://{HOST}/explore/?a=b"


def test_what_is_too_large_does_not_reach_the_site(proxy: Proxy) -> None:
    with proxy.client() as client:
        assert client.post("/login/", content=b"x" * 1_200_000).status_code == 413


def test_pictures_come_from_nginx_and_others_from_the_site(proxy: Proxy) -> None:
    name = "avatars/ab/abababababababababab.webp"
    file = proxy.folder / "media" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(b"as nginx has it")
    with proxy.client() as client:
        answer = client.get(f"/media/{name}")
        assert (answer.status_code, answer.content) == (200, b"as nginx has it")
        assert answer.headers["Content-Type"] == "image/webp"
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        lost = client.get(f"/media/{name.replace('ab', 'cd')}")
        assert (lost.status_code, "There is nothing here" in lost.text) == (404, True)
        assert "immutable" not in lost.headers.get("Cache-Control", "")


def test_large_pictures_reach_the_site(site: RunningSite, proxy: Proxy) -> None:
    with proxy.client() as client:
        _sign_up(client, "bob")
        answer = client.post("/settings/profile/", files={"new_avatar": b"x" * 3_000_000})
        assert answer.status_code == 403, "the site looks for its token"
        assert client.post("/settings/profile/", content=b"x" * 18_000_000).status_code == 413
