"""Exports: what is in them, who gets them, and when they go."""

import json
from contextlib import closing
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pytest
from django.core import mail
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from access.tokens import create_token
from lists.services import add_to_list, create_list
from relations.services import follow
from socialsite import settings as site
from statuses.models import Status
from statuses.reactions.services import bookmark, like
from statuses.services import edit_status, post_status
from statuses.store import find_statuses
from tags.models import Tag, TagFollow
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.users.conftest import PASSWORD
from tests.users.export.conftest import DOWNLOAD, PAGE, exported
from tests.users.test_races import at_once
from users.export import archive, making, register, services
from users.models import Export, User
from users.safety import second_factor
from users.services import confirm_email, delete_account, suspend

pytestmark = pytest.mark.django_db(transaction=True)


def part(zipped: ZipFile, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(zipped.read(f"{name}.json"))
    return rows


def make_a_life(alice: User, carol: User) -> Status:
    status = post_status(author=alice, text="curiouser <and> curiouser", warning="rabbits")
    edit_status(status=status, by=alice, text="and curiouser")
    (said,) = find_statuses([post_status(author=carol, text="tea?").pk]).values()
    like(user=alice, status=said)
    bookmark(user=alice, status=said)
    post_status(author=alice, text="yes", reply_to=said.id)
    follow(follower=alice, followee=carol)
    follow(follower=carol, followee=alice)
    add_to_list(list_=create_list(owner=alice, name="Tea party"), user=carol)
    TagFollow.objects.create(user=alice, tag=Tag.objects.create(name="tea", written="Tea"))
    create_token(user=alice, name="my bot")
    return status


def test_everything_is_in_it(browser: Client, alice: User, carol: User) -> None:
    status = make_a_life(alice, carol)
    zipped = exported(browser)
    (account,) = part(zipped, "account")
    assert (account["username"], account["email"]) == ("alice", "alice@example.com")
    first, reply = part(zipped, "statuses")
    assert (first["id"], first["text"], first["warning"]) == (status.pk, "and curiouser", "")
    (before,) = first["earlier_versions"]
    assert (before["text"], before["warning"]) == ("curiouser <and> curiouser", "rabbits")
    assert first["address"] == f"http://localhost:8000/@alice/{status.pk}/"
    assert reply["reply_to"] is not None
    for name in ("likes", "bookmarks"):
        (row,) = part(zipped, name)
        assert row["address"].startswith("http://localhost:8000/@carol/")
    assert [row["username"] for row in part(zipped, "following")] == ["carol"]
    assert [row["username"] for row in part(zipped, "followers")] == ["carol"]
    assert [(row["name"], row["members"]) for row in part(zipped, "lists")] == [
        ("Tea party", ["carol"])
    ]
    assert part(zipped, "tags") == [{"tag": "Tea"}]
    assert [row["application"] for row in part(zipped, "tokens")] == ["my bot"]
    assert len(part(zipped, "sessions")) == 1


def test_people_can_read_it(browser: Client, alice: User, carol: User) -> None:
    make_a_life(alice, carol)
    zipped = exported(browser)
    assert zipped.testzip() is None
    names = [it.name for it in register.parts()]
    assert set(zipped.namelist()) == {"index.html"} | {
        f"{name}.{kind}" for name in names for kind in ("json", "html")
    }
    index, html = (zipped.read(name).decode() for name in ("index.html", "statuses.html"))
    assert all(f'href="{name}.html"' in index for name in names)
    assert "curiouser &lt;and&gt; curiouser" in html
    assert "<and>" not in html


def test_an_empty_life_is_exported_too(browser: Client) -> None:
    zipped = exported(browser)
    assert part(zipped, "statuses") == []
    assert "Posts" in zipped.read("statuses.html").decode()


def test_no_secret_is_in_it(browser: Client, alice: User, carol: User) -> None:
    make_a_life(alice, carol)
    _, raw = create_token(user=alice, name="bot")
    second_factor.begin(user=alice)
    secret = second_factor.unconfirmed_secret(alice)
    zipped = exported(browser)
    everything = b"".join(map(zipped.read, zipped.namelist())).decode()
    session = browser.cookies["sessionid"].value
    for hidden in (alice.password, raw, secret, session, *alice.sessions.values_list("data")[0]):
        assert str(hidden) not in everything
    assert "digest" not in everything


def test_of_others_there_is_only_what_one_may_see(
    browser: Client, alice: User, carol: User
) -> None:
    make_a_life(alice, carol)
    suspend(user=carol)
    zipped = exported(browser)
    everything = b"".join(map(zipped.read, zipped.namelist())).decode()
    assert "carol" not in everything
    assert "tea?" not in everything


def test_the_page_says_how_far_it_is(browser: Client, alice: User) -> None:
    assert "A copy of everything" in browser.get(PAGE).content.decode()
    browser.post(PAGE)
    page = browser.get(PAGE).content.decode()
    assert f"0 of {len(register.parts())} parts are done" in page
    assert "Make my export" not in page
    assert browser.get(DOWNLOAD).status_code == 404
    Export.objects.update(parts_done=3)
    assert "3 of" in browser.get(PAGE).content.decode()
    drain()
    page = browser.get(PAGE).content.decode()
    assert "Your export is ready" in page
    assert f'href="{DOWNLOAD}"' in page
    assert Export.objects.get().parts_done == len(register.parts())


def test_a_mail_tells_when_it_is_ready(browser: Client, alice: User) -> None:
    confirm_email(user=alice)
    exported(browser)
    (message,) = mail.outbox
    assert message.to == [alice.email]
    assert "/settings/export/" in str(message.body)
    assert Export.objects.get().file not in str(message.body)


def test_nobody_else_gets_it(browser: Client, carol: User) -> None:
    exported(browser)
    assert browser_of(carol).get(DOWNLOAD).status_code == 404
    assert Client().get(DOWNLOAD)["Location"] == f"/login/?next={DOWNLOAD}"
    name = Export.objects.get().file
    for address in (f"/{name}", f"/media/{name}", f"/exports/{name}", f"/static/{name}"):
        assert browser.get(address).status_code == 404


def test_it_is_not_kept_by_caches_and_comes_as_a_file(browser: Client) -> None:
    exported(browser)
    answer = browser.get(DOWNLOAD)
    assert "no-store" in answer["Cache-Control"]
    assert answer["Content-Disposition"].startswith('attachment; filename="socialsite-alice-')
    assert answer["Content-Type"] == "application/zip"
    assert int(answer["Content-Length"]) == Export.objects.get().size


def test_it_lasts_for_a_day(browser: Client) -> None:
    exported(browser)
    expires_at = Export.objects.get().expires_at
    assert expires_at is not None
    assert timedelta(hours=23) < expires_at - timezone.now() <= timedelta(days=1)
    making.remove_old(expires_at - timedelta(seconds=1))
    assert browser.get(DOWNLOAD).status_code == 200
    making.remove_old(expires_at)
    assert browser.get(DOWNLOAD).status_code == 404
    assert making._files() == []
    assert not Export.objects.exists()
    making.remove_old(expires_at)  # again changes nothing


def test_one_that_expired_just_now_is_not_handed_out(browser: Client) -> None:
    exported(browser)
    Export.objects.update(expires_at=timezone.now())
    assert browser.get(DOWNLOAD).status_code == 404
    assert "Your last export is gone" in browser.get(PAGE).content.decode()


def test_a_file_that_was_lost_is_not_found(browser: Client) -> None:
    exported(browser)
    making.storage().delete(Export.objects.get().file)
    assert browser.get(DOWNLOAD).status_code == 404


def test_files_that_belong_to_nobody_go(alice: User) -> None:
    making.storage().save("old.zip", ContentFile(b"x"))
    now = timezone.now()
    making.remove_old(now)
    assert making._files() == ["old.zip"], "its row may be about to be written"
    making.remove_old(now + timedelta(hours=2))
    assert making._files() == []


def test_the_account_takes_its_file_along(browser: Client, alice: User) -> None:
    exported(browser)
    delete_account(user=alice)
    assert making._files() == []


def test_an_account_that_goes_meanwhile_leaves_no_file(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = services.ask_for_export(user=alice)
    write = archive.write

    def write_and_delete(*args: Any, **kwargs: Any) -> None:
        write(*args, **kwargs)
        delete_account(user=alice)

    monkeypatch.setattr(archive, "write", write_and_delete)
    assert making.make(export.pk) is None
    assert making._files() == []


# One at a time ----------------------------------------------------------------------------


def test_a_form_from_elsewhere_starts_nothing(alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(PAGE).status_code == 403
    assert not Export.objects.exists()


def test_a_password_in_a_text_of_ones_own_is_ones_own(browser: Client, alice: User) -> None:
    post_status(author=alice, text=f"my password is {PASSWORD} \u2028 </script>")
    zipped = exported(browser)
    assert PASSWORD in part(zipped, "statuses")[0]["text"]
    assert "</script>" not in zipped.read("statuses.html").decode()


def test_many_readers_at_once_get_the_same_file(
    browser: Client, alice: User, settings: Settings
) -> None:
    # The storage of the other tests hands all readers one file object.
    settings.STORAGES = settings.STORAGES | {"exports": site.STORAGES["exports"]}
    exported(browser)

    def sizes() -> tuple[int, int]:
        with closing(browser_of(alice).get(DOWNLOAD)) as answer:
            body = b"".join(answer.streaming_content)  # type: ignore[attr-defined] # a file
            return int(answer["Content-Length"]), len(body)

    size = Export.objects.get().size
    assert set(at_once([sizes] * 3)) == {(size, size)}
