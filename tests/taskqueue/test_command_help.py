"""What `--help` says of our commands."""

import pytest
from django.core.management import get_commands, load_command_class

OURS = sorted(
    (app, name)
    for name, app in get_commands().items()
    if not app.startswith(("django", "oauth2_provider"))
    and name not in ("shell", "createsuperuser")
)


@pytest.mark.parametrize(("app", "name"), OURS)
def test_help_shows_our_options_and_examples_alone(app: str, name: str) -> None:
    text = load_command_class(app, name).create_parser("manage.py", name).format_help()
    assert "--pythonpath" not in text
    assert "examples:\n  " in text


def test_djangos_options_still_work() -> None:
    parser = load_command_class("taskqueue", "worker").create_parser("manage.py", "worker")
    assert parser.parse_args(["--no-color", "--burst"]).no_color
