"""What `deploy/` names exists: settings, commands, options, roles and files."""

import configparser
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from django.conf import settings
from django.core.management import get_commands, load_command_class

from processes import embedded_redis
from processes.roles import ROLES, parse_roles
from processes.supervisor import STOP_SECONDS
from socialsite import env
from tests.running_site import temporary_folder, wait_for
from web.body_limits import LONGEST_BODY, LONGEST_UPLOAD, MEGABYTE

DEPLOY = Path(settings.BASE_DIR) / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "docker-compose.yml").read_text())
SITE_SERVICES = {
    name: service for name, service in COMPOSE["services"].items() if "build" in service
}


def unit(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign] # as configparser's docs do
    parser.read(path)
    return parser


def roles_of_command(words: list[str]) -> tuple[str, ...]:
    """Checks a `manage.py` command with its options as Django would."""
    name, *arguments = words
    assert name in get_commands()
    command = load_command_class(get_commands()[name], name)
    parsed = command.create_parser("manage.py", name).parse_args(arguments)
    return parse_roles(parsed.only)


def test_there_is_a_unit_for_each_role() -> None:
    found = [roles_of_command(_manage_command(path)) for path in UNITS]
    assert sorted(found) == sorted((role,) for role in ROLES)


def _manage_command(path: Path) -> list[str]:
    python, script, *words = shlex.split(unit(path)["Service"]["ExecStart"])
    assert python.endswith("/.venv/bin/python")
    assert (Path(settings.BASE_DIR) / script).is_file()
    return words


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_units_run_as_somebody_else_in_a_folder_that_they_may_write(path: Path) -> None:
    service = unit(path)["Service"]
    assert service["User"] not in ("", "root")
    assert service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"
    folder = f"/var/lib/{service['StateDirectory']}"
    assert f"SOCIALSITE_DATA_DIR={folder}\n" in (DEPLOY / "systemd/socialsite.env").read_text()
    assert shlex.split(service["ExecReload"]) == [
        *("/bin/sh", "-c"),
        "/opt/socialsite/.venv/bin/python manage.py prepare && kill -USR2 $MAINPID",
    ]


def test_systemd_has_longer_than_serve_takes_to_stop() -> None:
    for path in UNITS:
        assert float(unit(path)["Service"]["TimeoutStopSec"]) > STOP_SECONDS
    for service in SITE_SERVICES.values():
        assert float(service["stop_grace_period"].removesuffix("s")) > STOP_SECONDS


def test_every_setting_that_is_named_exists() -> None:
    example = (DEPLOY / "systemd/socialsite.env").read_text()
    named = set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    for service in SITE_SERVICES.values():
        named |= set(service["environment"])
    in_image = re.search(r"^ENV (.*?)\n[A-Z]", _dockerfile(), re.MULTILINE | re.DOTALL)
    assert in_image is not None
    named |= set(re.findall(r"(\w+)=", in_image[1]))
    assert named - env.declared == {"PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}


def test_compose_runs_each_role_once() -> None:
    found = [roles_of_command(["serve", *service["command"]]) for service in SITE_SERVICES.values()]
    assert sorted(found) == sorted((role,) for role in ROLES)
    assert set(SITE_SERVICES) == set(ROLES)


def test_the_files_and_volumes_that_compose_names_exist() -> None:
    for service in COMPOSE["services"].values():
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            if source == "./certificates":
                continue  # the site's own
            assert (DEPLOY / source).is_file() if source[0] == "." else source in COMPOSE["volumes"]
        for name in service.get("depends_on", []):
            assert name in COMPOSE["services"]
    build = SITE_SERVICES["web"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_compose_sends_nginx_to_the_ports_of_the_site() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text()
    for old, new in re.findall(
        r"s/([\d.:]+)/([\w:]+)/", COMPOSE["services"]["nginx"]["command"][2]
    ):
        assert f"server {old};" in nginx
        name, port = new.split(":")
        assert name in SITE_SERVICES
        assert f"EXPOSE {settings.PORT} {settings.STREAM_PORT}" in _dockerfile()
        assert int(port) == {"web": 8000, "streams": 8001}[name]


def test_nginx_takes_bodies_as_long_as_the_site_does() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text()
    found = [int(most) * MEGABYTE for most in re.findall(r"client_max_body_size (\d+)m;", nginx)]
    assert found[0] == LONGEST_BODY
    assert set(found[1:]) == {LONGEST_UPLOAD}


def test_the_image_runs_the_site_as_somebody_else() -> None:
    lines = _dockerfile().splitlines()
    assert "USER socialsite" in lines
    assert 'ENTRYPOINT ["python", "manage.py", "serve"]' in lines
    assert lines.index("USER socialsite") < lines.index(
        'ENTRYPOINT ["python", "manage.py", "serve"]'
    )
    for copied in re.findall(r"^COPY (?!--from)(\S+)", _dockerfile(), re.MULTILINE):
        assert (Path(settings.BASE_DIR) / copied).exists()


def test_what_the_image_leaves_out_is_not_imported() -> None:
    """Django's own check, in a folder without the development's folders."""
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().split("\n")
    left_out = {line for line in ignored if line and not line.startswith(("#", "*"))}
    with temporary_folder() as folder:
        for path in Path(settings.BASE_DIR).iterdir():
            if path.name not in left_out:
                (folder / path.name).symlink_to(path)
        code = "import socialsite.wsgi, socialsite.asgi, socialsite.urls"
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env={
                "DJANGO_SETTINGS_MODULE": "socialsite.settings",
                "SOCIALSITE_ENV_FILE": "/dev/null",
                "SOCIALSITE_DATA_DIR": str(folder / "data"),
            },
            check=True,
            timeout=60,
        )


def test_redis_accepts_its_settings() -> None:
    with temporary_folder() as folder:
        socket = folder / "redis.sock"
        command = [embedded_redis.server_binary(), str(DEPLOY / "redis.conf")]
        command += ["--port", "0", "--unixsocket", str(socket), "--dir", str(folder)]
        server = subprocess.Popen([*command, "--protected-mode", "no"], stdout=subprocess.DEVNULL)
        try:
            wait_for(lambda: embedded_redis.answers(socket), what="Redis")
            with redis.Redis(unix_socket_path=str(socket), decode_responses=True) as client:
                told = client.config_get("*")
            assert told["maxmemory-policy"] == "noeviction"
            assert told["appendonly"] == "yes"
            assert told["hash-max-ziplist-value"] == "2048"
            assert told["zset-max-ziplist-entries"] == "256"
        finally:
            server.terminate()
            server.wait(timeout=20)


def _dockerfile() -> str:
    return (DEPLOY / "Dockerfile").read_text()
