import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
DOCUMENT = (ROOT / "docs" / "dependencies.md").read_text()
RUNTIME, _, REST = DOCUMENT.partition("## Development")
DEVELOPMENT, _, PACKAGES = REST.partition("## Packages")
FILES = {
    "requirements.txt": RUNTIME,
    "requirements-dev.txt": DEVELOPMENT,
    "requirements-packages.txt": PACKAGES,
}


def requirements(file: str) -> dict[str, str]:
    """Package → version, without comments and extras."""
    lines = (ROOT / file).read_text().splitlines()
    found = (re.match(r"([\w.-]+)(?:\[[\w,-]+\])?(.*)", line) for line in lines)
    return {match[1]: match[2] for match in found if match and not match[0].startswith("-r")}


@pytest.mark.parametrize(("file", "section"), FILES.items())
def test_the_document_gives_a_reason_for_every_package_and_no_other(
    file: str, section: str
) -> None:
    rows = dict(re.findall(r"^\| `([\w.-]+)` \| (.*?) \|$", section, re.MULTILINE))
    assert set(rows) == set(requirements(file))
    assert all(rows.values())


@pytest.mark.parametrize("file", FILES)
def test_every_package_is_pinned(file: str) -> None:
    loose = {name for name, version in requirements(file).items() if not re.match("==", version)}
    assert loose == set()


def test_the_lock_file_has_the_same_versions_and_a_hash_of_each() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    entries = re.findall(
        r"^([\w.-]+)==(\S+)(?: ;[^\\\n]*)? \\\n    --hash=sha256:", lock, re.MULTILINE
    )
    pinned = {
        name: spec[2:].partition(";")[0] for name, spec in requirements("requirements.txt").items()
    }
    only_for_windows = {"colorama", "tzdata"}
    assert {name: version for name, version in entries if name not in only_for_windows} == pinned
    assert len(entries) == len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE))
    assert "://" not in lock
