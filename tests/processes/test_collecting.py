"""The static files of a start: collected when they, or what makes them, have changed."""

from pathlib import Path

import pytest
from pytest_django import Settings

from processes import collecting


@pytest.fixture
def source(tmp_path: Path, settings: Settings) -> Path:
    """Files of our own, and where they are collected."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "page.css").write_text("p { color: red }")
    settings.STATICFILES_DIRS = [source]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.DATA_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path / "static"
    backend = {"BACKEND": "web.static_files.StaticFiles"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": backend}
    return source


def collected(folder: Path) -> str:
    """What pages are given: by its latest name."""
    return max(folder.glob("page.*.css"), key=lambda path: path.stat().st_mtime_ns).read_text()


def test_files_are_collected_once(source: Path, settings: Settings) -> None:
    collecting.collect()
    collected_file = settings.STATIC_ROOT / "page.css"
    collected_file.write_text("by hand")
    collecting.collect()
    assert collected_file.read_text() == "by hand"


def test_a_file_that_has_changed_is_collected(source: Path, settings: Settings) -> None:
    collecting.collect()
    (source / "page.css").write_text("p { color: tan }")
    collecting.collect()
    assert collected(settings.STATIC_ROOT) == "p { color: tan }"


def test_a_new_version_of_what_makes_them_collects_anew(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = collecting.fingerprint()
    monkeypatch.setattr(collecting, "version", lambda name: f"{name} of tomorrow")
    assert collecting.fingerprint() != before


def test_a_folder_that_was_removed_is_filled_again(source: Path, settings: Settings) -> None:
    collecting.collect()
    for path in settings.STATIC_ROOT.iterdir():
        path.unlink()
    collecting.collect()
    assert collected(settings.STATIC_ROOT) == "p { color: red }"


def test_a_collection_that_failed_halfway_counts_for_nothing(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise OSError("No space left on device")

    collecting.collect()
    (source / "page.css").write_text("p { color: tan }")
    monkeypatch.setattr(collecting, "call_command", fail)
    for text in ("p { color: tan }", "p { color: red }"):
        (source / "page.css").write_text(text)
        with pytest.raises(OSError, match="No space"):
            collecting.collect()
