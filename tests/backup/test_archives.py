"""The file of a backup: what is in it, and what is refused."""

import io
import json
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from backup import pictures, postgres, restoring, sqlite
from backup.archive import BackupError, opened
from backup.making import back_up
from backup.restoring import check_fit, check_target, restore
from statuses.services import post_status
from tests import postgres as test_postgres
from tests.cast import make_user
from tests.users.pictures.drawing import halves
from users.models import User
from users.pictures import files
from users.pictures.kinds import Kind, new_token, storage
from users.pictures.making import encode

on_sqlite = pytest.mark.skipif(test_postgres.is_wanted(), reason="of SQLite alone")


@pytest.fixture
def file(tmp_path: Path, alice: User) -> Path:
    post_status(author=alice, text="Curiouser and curiouser!")
    back_up(tmp_path / "site.zip")
    return tmp_path / "site.zip"


@pytest.fixture
def empty_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks of the target are tested by themselves."""
    monkeypatch.setattr(restoring, "check_target", lambda: None)


def rewrite(file: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    with ZipFile(file) as archive:
        content = {it: archive.read(it) for it in archive.namelist()}
    content[name] = change(content[name])
    with ZipFile(file, "w") as archive:
        for it, data in content.items():
            archive.writestr(it, data)


def change_manifest(file: Path, **fields: object) -> None:
    rewrite(file, "manifest.json", lambda it: json.dumps(json.loads(it) | fields).encode())


def test_only_its_owner_can_read_it_and_nothing_else_is_left(file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [it.name for it in file.parent.iterdir()] == ["site.zip"]


def test_the_manifest_counts_rows(file: Path) -> None:
    with opened(file) as archive:
        archive.verify()
        assert archive.manifest.rows["users_user"] == 1
        assert archive.manifest.rows["statuses_status"] == 1
        assert "users.0001_initial" in archive.manifest.migrations


def test_a_file_that_exists_is_replaced_only_if_asked(file: Path) -> None:
    before = file.read_bytes()
    with pytest.raises(BackupError, match="exists: choose another name, or --force"):
        back_up(file)
    assert file.read_bytes() == before
    make_user("bob")
    back_up(file, force=True)
    with opened(file) as archive:
        assert archive.manifest.rows["users_user"] == 2


def test_a_backup_that_fails_leaves_nothing(
    tmp_path: Path, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pictures, "save", fail)
    with pytest.raises(BackupError, match=r"can't be written \(No space left on device\)"):
        back_up(tmp_path / "site.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, alice: User) -> None:
    with pytest.raises(CommandError, match=r"nowhere/site.zip can't be written"):
        call_command("backup", str(tmp_path / "nowhere" / "site.zip"))


def test_in_a_folder_the_file_is_named_after_the_time(tmp_path: Path, alice: User) -> None:
    out = io.StringIO()
    call_command("backup", str(tmp_path), stdout=out)
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("socialsite-20")
    assert out.getvalue().startswith(f"{file}: ")


def test_pictures_come_back(tmp_path: Path, alice: User) -> None:
    token = new_token()
    files.save(encode(Kind.AVATAR, halves(400, 400)), token)
    User.objects.filter(pk=alice.pk).update(avatar=token)
    content = {name: storage().open(name).read() for name in Kind.AVATAR.files(token)}
    back_up(tmp_path / "site.zip")
    for name in content:
        storage().delete(name)
    with opened(tmp_path / "site.zip") as archive:
        pictures.load(archive)
        pictures.load(archive)
    assert {name: storage().open(name).read() for name in content} == content


def test_a_picture_that_vanished_meanwhile_is_left_out(tmp_path: Path, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(avatar="0123456789abcdef0123")
    assert not any(name.startswith("media/") for name in back_up(tmp_path / "site.zip").files)


@pytest.mark.usefixtures("empty_target")
@pytest.mark.parametrize("damage", [lambda it: it[:-1], lambda it: it[:-1] + b"x"])
def test_a_changed_byte_is_noticed(file: Path, damage: Callable[[bytes], bytes]) -> None:
    rewrite(file, postgres.NAME if test_postgres.is_wanted() else sqlite.NAME, damage)
    with pytest.raises(BackupError, match=r"The backup is damaged: database.* has changed"):
        restore(file)


@pytest.mark.usefixtures("empty_target")
def test_a_file_that_was_cut_short_is_no_backup(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(BackupError, match="is no backup that can be read"):
        restore(file)


@pytest.mark.usefixtures("empty_target")
def test_another_zip_is_no_backup(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(BackupError, match="is no backup of a site"):
        restore(tmp_path / "other.zip")


def test_a_backup_of_a_newer_version_is_refused(file: Path) -> None:
    change_manifest(file, migrations=["users.9999_telepathy"])
    with pytest.raises(BackupError, match=r"newer version of the site, with users.9999_telepathy"):
        restore(file)


def test_another_format_is_refused(file: Path) -> None:
    change_manifest(file, format=2)
    with pytest.raises(BackupError, match="has the format 2"):
        restore(file)


def test_a_backup_of_another_kind_of_database_is_refused(file: Path) -> None:
    change_manifest(file, engine="oracle")
    with opened(file) as archive, pytest.raises(BackupError, match="is of oracle, and"):
        check_fit(archive.manifest)


def test_a_database_with_tables_is_refused(file: Path) -> None:
    with pytest.raises(BackupError, match="has tables already: restore into an empty one"):
        restore(file)


def test_a_redis_with_keys_is_refused(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    post_status(author=alice, text="Curiouser and curiouser!")
    for engine in (sqlite, postgres):
        monkeypatch.setattr(engine, "is_empty", lambda: True)
    with pytest.raises(BackupError, match="Redis holds keys of a site"):
        check_target()


@on_sqlite
def test_a_database_with_other_rows_than_the_manifest_is_not_put_in_place(
    file: Path, tmp_path: Path
) -> None:
    target = tmp_path / "new.sqlite3"
    with opened(file) as archive:
        rows = archive.manifest.rows
        with pytest.raises(BackupError, match="is damaged"):
            sqlite.load(archive.read(sqlite.NAME), rows | {"users_user": 7}, target)
        assert not target.exists()
        sqlite.load(archive.read(sqlite.NAME), rows, target)
    assert sqlite3.connect(target).execute("SELECT username FROM users_user").fetchall() == [
        ("alice",)
    ]


def test_without_its_programs_postgres_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(BackupError, match="apt install postgresql-client"):
        postgres._program("pg_nothing")
