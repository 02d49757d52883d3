"""Scripts as browsers get them: small, and named by their content."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import override_settings

MOST_BYTES = 50_000
STATIC_IMPORT = re.compile(r'^import (?:[^"(]* from )?"\./([^"]+)"', re.M)
STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "web.static_files.StaticFiles"}}


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    with override_settings(STORAGES=STORAGES, STATIC_ROOT=folder):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


def _ours() -> list[Path]:
    return sorted((settings.BASE_DIR / "static/js").glob("*.js"))


def _with_imports(name: str) -> set[str]:
    """Those that a browser fetches at once with this one: not what `import()` fetches later."""
    found, unread = {name}, [name]
    while unread:
        imported = STATIC_IMPORT.findall(
            (settings.BASE_DIR / "static/js" / unread.pop()).read_text()
        )
        unread += set(imported) - found
        found |= set(imported)
    return found


def test_a_page_begins_with_less_than_50_kb_of_scripts(collected: Path) -> None:
    ours = [collected / "js" / name for name in _with_imports("app.js")]
    assert len(ours) > 5, "the imports are found"
    htmx = collected / "django_htmx/htmx-4.min.js"
    assert sum(path.stat().st_size for path in [htmx, *ours]) < MOST_BYTES


def test_scripts_import_each_other_by_the_names_of_their_content(collected: Path) -> None:
    for path in _ours():
        [hashed] = collected.glob(f"js/{path.stem}.*.js")
        imported = re.findall(r'import[^"]*"([^"]+)"', hashed.read_text())
        assert len(imported) == path.read_text().count('"./'), path.name
        for name in imported:
            assert re.fullmatch(r"\./[a-z-]+\.[0-9a-f]{12}\.js", name), (path.name, name)
            assert (collected / "js" / name).exists()


def test_scripts_never_run_text(collected: Path) -> None:
    """The policy forbids it anyway; htmx does it for some attributes, which no template has."""
    for path in (settings.BASE_DIR / "templates").rglob("*.html"):
        assert not re.search(r"hx-on|hx-vals=.js:|hx-trigger=\"[^\"]*\[", path.read_text()), path
    assert finders.find("django_htmx/htmx-4.min.js")
