"""What the documents name is there: files, functions, pages and their sections."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings

ROOT: Path = settings.BASE_DIR
CODE = re.compile(r"```.*?```", re.DOTALL)
NAMED = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w*./-]+\.(?:py|lua|js|css|html|svg|sh|conf|toml|md)|[a-z_][\w/]*/")
NAMES_AFTER = re.compile(r"`([\w/]+\.py)`((?:,? (?:and )?`\w+`)+)")
DOTTED = re.compile(r"(\w+(?:\.\w+)+)(?:\(.*\))?")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([\w-]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# Of a running site, or made by a command.
NOT_HERE = ("var/", "locale/", "media/", "migrations/")
# Of an app that is still to be written, or of a language.
TO_BE_MADE = {"status_parts.py", "socialsite/formats/de/formats.py"}


@cache
def files() -> frozenset[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return frozenset(listed.stdout.splitlines())


def documents() -> list[str]:
    return sorted(name for name in files() if name.endswith(".md") and (ROOT / name).exists())


def prose(name: str) -> str:
    return CODE.sub("", (ROOT / name).read_text())


def exists(named: str, folder: Path) -> bool:
    """From the root or beside the document; a bare name may be anywhere."""
    if named.startswith(NOT_HERE) or named in TO_BE_MADE:
        return True
    if "/" not in named.rstrip("/"):
        bare = named.rstrip("/")
        return any(bare in Path(it).parts or Path(it).match(named) for it in files())
    inside = [folder, *folder.glob("*/")] if folder != ROOT / "docs" else [ROOT / "streaming"]
    return any([*base.glob(named.strip("/"))] for base in (ROOT, *inside))


def missing_files(name: str) -> Iterator[str]:
    for named in NAMED.findall(prose(name)):
        is_file = FILE.fullmatch(named) and not named.startswith("/")  # an address
        if is_file and not exists(named, (ROOT / name).parent):
            yield named


def missing_names(name: str) -> Iterator[str]:
    for file, following in NAMES_AFTER.findall(prose(name)):
        paths = [ROOT / file, (ROOT / name).parent / file]
        source = "".join(path.read_text() for path in paths if path.exists())
        for wanted in re.findall(r"\w+", following):
            if source and not re.search(rf"\b{wanted}\b", source):
                yield f"{file} {wanted}"


def missing_modules(name: str) -> Iterator[str]:
    """`app.module.name`; classes are looked for by their module alone."""
    for named in NAMED.findall(prose(name)):
        found = DOTTED.fullmatch(named)
        parts = found[1].split(".") if found else [""]
        if not (ROOT / parts[0] / "__init__.py").exists():
            continue
        if ROOT.joinpath(*parts).with_suffix(".py").exists():
            continue
        module = ROOT.joinpath(*parts[:-1])
        path = next(
            (it for it in (module.with_suffix(".py"), module / "__init__.py") if it.exists()), None
        )
        if path and not re.search(rf"\b{parts[-1]}\b", path.read_text()):
            yield named
        if path is None:
            yield named


def sections(path: Path) -> set[str]:
    """As GitHub links to them."""
    titles = HEADING.findall(CODE.sub("", path.read_text()))
    return {re.sub(r"[^\w -]", "", it.lower()).replace(" ", "-") for it in titles}


def broken_links(name: str) -> Iterator[str]:
    for target, section in LINK.findall(prose(name)):
        path = (ROOT / name).parent / target if target else ROOT / name
        if not path.exists() or (section and section not in sections(path)):
            yield f"{target}#{section}"


@pytest.mark.parametrize("name", documents())
def test_a_document_names_what_is_there(name: str) -> None:
    assert [*missing_files(name), *missing_names(name), *missing_modules(name)] == []


@pytest.mark.parametrize("name", documents())
def test_links_lead_somewhere(name: str) -> None:
    assert [*broken_links(name)] == []
