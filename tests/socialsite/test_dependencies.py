import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
DOCUMENT = (ROOT / "docs" / "dependencies.md").read_text()
RUNTIME, DEVELOPMENT = DOCUMENT.split("## Development")


def requirements(file: str) -> dict[str, str]:
    """Package → version, without comments and extras."""
    lines = (ROOT / file).read_text().splitlines()
    found = (re.match(r"([\w.-]+)(?:\[[\w,-]+\])?(.*)", line) for line in lines)
    return {match[1]: match[2] for match in found if match and not match[0].startswith("-r")}


@pytest.mark.parametrize(
    ("file", "section"),
    [("requirements.txt", RUNTIME), ("requirements-dev.txt", DEVELOPMENT)],
)
def test_the_document_gives_a_reason_for_every_package_and_no_other(
    file: str, section: str
) -> None:
    rows = dict(re.findall(r"^\| `([\w.-]+)` \| (.*?) \|$", section, re.MULTILINE))
    assert set(rows) == set(requirements(file))
    assert all(rows.values())


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_package_is_pinned(file: str) -> None:
    loose = {name for name, version in requirements(file).items() if not re.match("==", version)}
    assert loose == set()
