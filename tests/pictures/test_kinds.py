"""Any app can register pictures of its own."""

import pytest
from django.test import Client

from pictures import kinds, tasks
from pictures.kinds import PictureKind, address, all_kinds, new_token, register
from pictures.making import encode
from tests.pictures.drawing import halves, stored
from users.models import User
from users.pictures.kinds import AVATAR


@pytest.fixture
def stamp(monkeypatch: pytest.MonkeyPatch) -> PictureKind:
    """In a column that holds no picture on the site."""
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))
    return register(PictureKind("stamp", "stamps", 60, 40, model="users.User", column="bio"))


def test_its_files_are_handed_out_and_those_of_unknown_kinds_are_not(
    client: Client, stamp: PictureKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = new_token()
    encode(stamp, halves(60, 40)).save(token)
    assert client.get(address(stamp, token)).status_code == 200
    monkeypatch.setattr(kinds, "_kinds", {AVATAR.name: AVATAR})
    assert client.get(address(stamp, token)).status_code == 404
    stamp.delete(token)


def test_its_files_go_unless_their_owner_has_them(alice: User, stamp: PictureKind) -> None:
    used, unused = new_token(), new_token()
    User.objects.filter(pk=alice.pk).update(bio=used)
    for token in (used, unused):
        encode(stamp, halves(60, 40)).save(token)
        tasks.remove_unused.call(alice.pk, stamp.name, token)
    assert all(stored(stamp, used))
    assert not any(stored(stamp, unused))
    stamp.delete(used)


def test_kinds_share_no_folder() -> None:
    folders = [kind.folder for kind in all_kinds()]
    assert len(folders) == len(set(folders))
