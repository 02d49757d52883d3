"""A real nginx with the configuration that we ship, paths and ports filled in."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from django.conf import settings

from tests.running_site import RunningSite, wait_for

HOST = "social.example"
HOW_TO_GET_IT = "nginx is not installed: `sudo apt-get install nginx`, then run the tests again"
# What a distribution's nginx.conf has around ours.
AROUND = """
{user}
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/socialsite.conf;
}}
"""


class Proxy(NamedTuple):
    http_port: int
    https_port: int
    folder: Path

    def logged(self) -> str:
        return "".join(path.read_text() for path in self.folder.glob("*.log"))

    def client(self) -> httpx.Client:
        """Finds the proxy at its port, whatever the host's name; its certificate is our own."""
        return httpx.Client(
            base_url=f"https://127.0.0.1:{self.https_port}",
            headers={"Host": HOST},
            verify=False,
            timeout=20,
        )


@contextlib.contextmanager
def nginx(site: RunningSite, folder: Path, *, http_port: int, https_port: int) -> Iterator[Proxy]:
    executable = _executable()
    _make_certificate(folder)
    proxy = Proxy(http_port, https_port, folder)
    changes = {
        "listen 80;": f"listen 127.0.0.1:{http_port};",
        "listen 443 ssl": f"listen 127.0.0.1:{https_port} ssl",
        "127.0.0.1:8000": f"127.0.0.1:{site.port}",
        "127.0.0.1:8001": f"127.0.0.1:{site.stream_port}",
        "/etc/letsencrypt/live/social.example": str(folder),
        "/var/log/nginx": str(folder),
        "/etc/nginx": str(folder),
        "/srv/socialsite": str(folder),
    }
    for shipped, name in (("nginx", "socialsite"), ("nginx_stream", "socialsite_stream")):
        text = (settings.BASE_DIR / "deploy" / f"{shipped}.conf").read_text()
        for old, new in changes.items():
            text = text.replace(old, new)
        (folder / f"{name}.conf").write_text(text)
    # Started by root, it would become somebody who may not enter the folder.
    user = "" if os.geteuid() else "user root;"
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user))
    command = [executable, "-p", str(folder), "-c", "nginx.conf", "-e", "error.log"]
    process = subprocess.Popen([*command, "-g", "daemon off;"])
    try:
        wait_for(lambda: _answers(proxy, process), what="nginx to answer")
        yield proxy
    finally:
        process.terminate()
        process.wait(timeout=20)


def _executable() -> str:
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(HOW_TO_GET_IT)
        pytest.skip(HOW_TO_GET_IT)
    return found


def _make_certificate(folder: Path) -> None:
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={HOST}", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def _answers(proxy: Proxy, process: "subprocess.Popen[bytes]") -> bool:
    assert process.poll() is None, proxy.logged()
    with contextlib.suppress(httpx.TransportError), proxy.client() as client:
        return client.get("/healthz").status_code == 200
    return False
