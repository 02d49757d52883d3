"""The file of a backup: what is in it, and what is refused."""

import io
import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from zipfile import ZipFile

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from backup import pictures, restoring
from backup.archive import BackupError, opened
from backup.loading import load, strange_tables
from backup.making import back_up
from backup.restoring import check_target, restore
from backup.snapshot import FORMS, tables_of
from pictures.kinds import new_token, storage
from pictures.making import encode
from processes import migrating
from statuses.services import post_status
from tests import postgres as test_postgres
from tests.cast import make_user
from tests.pictures.drawing import halves
from users.models import User
from users.pictures.kinds import AVATAR


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
    encode(AVATAR, halves(400, 400)).save(token)
    User.objects.filter(pk=alice.pk).update(avatar=token)
    content = {name: storage().open(name).read() for name in AVATAR.files(token)}
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
    rewrite(file, "tables/users_user.jsonl", damage)
    with pytest.raises(BackupError, match=r"is damaged: tables/users_user.jsonl has changed"):
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


@pytest.mark.parametrize("format_", [1, 3])
def test_an_older_or_newer_format_is_refused(file: Path, format_: int) -> None:
    change_manifest(file, format=format_)
    with pytest.raises(BackupError, match=f"has the format {format_}.* reads 2: restore it with"):
        restore(file)


def test_a_database_with_tables_is_refused(file: Path) -> None:
    with pytest.raises(BackupError, match="has tables already: restore into an empty one"):
        restore(file)


def test_a_redis_with_keys_is_refused(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    post_status(author=alice, text="Curiouser and curiouser!")
    monkeypatch.setattr(restoring, "tables_of", lambda _: set())
    with pytest.raises(BackupError, match="Redis holds keys of a site"):
        check_target()


@pytest.fixture
def empty_database() -> Iterator[BaseDatabaseWrapper]:
    """One beside that of the test, in its place."""
    ours = connections[DEFAULT_DB_ALIAS]
    name = f"empty_{token_hex(4)}"
    if ours.vendor == "postgresql":
        test_postgres.create_database(name)
    else:
        name = str(Path(ours.settings_dict["NAME"]).with_name(name))
    empty = ours.copy()
    empty.settings_dict = ours.settings_dict | {"NAME": name}
    connections[DEFAULT_DB_ALIAS] = empty
    try:
        yield empty
    finally:
        empty.close()
        connections[DEFAULT_DB_ALIAS] = ours


def test_other_rows_than_the_manifest_says_load_nothing(
    file: Path, empty_database: BaseDatabaseWrapper
) -> None:
    with opened(file) as archive:
        migrations = archive.manifest.migrations  # the fewest that make a table: it takes long
        migrations[:] = [name for name in migrations if name.startswith("contenttypes.")]
        archive.manifest.rows["django_content_type"] = 7
        with pytest.raises(BackupError, match="damaged: django_content_type has not 7 rows"):
            load(archive)
    assert tables_of(empty_database) == set()


def test_an_older_version_comes_with_its_own_tables_and_without_foreign_ones(
    file: Path, empty_database: BaseDatabaseWrapper
) -> None:
    with opened(file) as archive:
        migrations = archive.manifest.migrations
        migrations[:] = [name for name in migrations if not name.startswith("moderation.")]
        archive.manifest.rows["recipes"] = 3  # a table of another program
        load(archive)
        strange = strange_tables(archive.manifest)
    assert {name for name in strange if not name.startswith("moderation_")} == {"recipes"}
    assert "users_user" in tables_of(empty_database)
    assert not moderation_tables(empty_database)
    assert [user.username for user in User.objects.all()] == ["alice"]
    assert make_user("bob").pk > User.objects.get(username="alice").pk
    assert migrating.migrate() > 0
    assert moderation_tables(empty_database)


def moderation_tables(database: BaseDatabaseWrapper) -> set[str]:
    return {name for name in tables_of(database) if name.startswith("moderation_")}


def test_every_kind_of_column_can_be_carried() -> None:
    """JSON has text and numbers, and `snapshot.FORMS` what becomes text: a column of bytes or of
    exact decimals needs a form of its own.
    """
    models = apps.get_models(include_auto_created=True)
    fields = [field for model in models for field in model._meta.local_concrete_fields]
    kinds = {getattr(field, "target_field", field).get_internal_type() for field in fields}
    assert kinds - set(FORMS) == {
        *("AutoField", "BigAutoField", "SmallIntegerField", "IntegerField", "BigIntegerField"),
        *("PositiveSmallIntegerField", "PositiveIntegerField", "PositiveBigIntegerField"),
        *("CharField", "TextField", "FloatField"),
    }
