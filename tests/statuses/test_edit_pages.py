"""The pages on which people edit a status, and read what it said before."""

import re
from functools import partial

import pytest
from django.test import Client

from statuses.models import Status, StatusVersion
from statuses.services import edit_status, mark_sensitive, post_status
from tests.cast import browser_of
from tests.statuses.edits import OLD, made, shown
from users.models import User
from users.services import suspend


@pytest.fixture
def status(alice: User) -> Status:
    return post_status(author=alice, text="first", warning="careful")


def test_the_form_has_what_the_status_says_and_saves_what_it_should_say(
    status: Status, alice: User
) -> None:
    browser, address = browser_of(alice), f"/statuses/{status.pk}/edit/"
    page = browser.get(f"{address}?next=/%3Fmax_id%3D5").content.decode()
    assert re.search(r"<textarea[^>]*>\s*first</textarea>", page)
    assert 'value="careful"' in page
    assert 'href="/?max_id=5">Cancel' in page
    answer = browser.post(address, {"text": "second", "warning": "", "next": "/@alice/"})
    assert (answer.status_code, answer["Location"]) == (302, f"/@alice/#status-{status.pk}")
    assert shown(status) == ("second", "")
    answer = browser.post(address, {"text": "third"})
    assert answer["Location"] == f"/@alice/{status.pk}/#status-{status.pk}"


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"text": ""}, "Write something first."),
        ({"text": " \u200b "}, "Write something first."),
        ({"text": "x" * 501}, "1 character too long: a post has at most 500"),
        ({"text": "x" * 9_000}, "far longer"),
        ({"text": "bell \x07"}, "control character U+0007"),
        ({"text": "fine", "warning": "w" * 201}, "at most 200 characters"),
        ({"text": "fine", "warning": "two\nlines"}, "line"),
    ],
)
def test_what_is_refused_is_told_and_changes_nothing(
    status: Status, alice: User, fields: dict[str, str], complaint: str
) -> None:
    browser = browser_of(alice)
    answers = [
        browser.post("/statuses/", fields),
        browser.post(f"/statuses/{status.pk}/edit/", fields),
    ]
    for answer in answers:  # posting and editing say the same
        assert answer.status_code == 400
        assert complaint in answer.content.decode()
    assert shown(status) == ("first", "careful")
    assert not StatusVersion.objects.exists()


def test_others_are_told_why_they_can_not_edit(
    client: Client, status: Status, alice: User, carol: User
) -> None:
    address = f"/statuses/{status.pk}/edit/"
    stranger = browser_of(carol)
    for ask in (stranger.get, partial(stranger.post, data={"text": "mine"})):
        answer = ask(address)
        assert answer.status_code == 403
        assert "Only its author can edit a post." in answer.content.decode()
    assert client.get(address)["Location"] == f"/login/?next={address}"
    old = made(OLD, alice)
    answer = browser_of(alice).post(f"/statuses/{old.pk}/edit/", {"text": "too late"})
    assert answer.status_code == 403
    assert "A post can be edited for 60 minutes" in answer.content.decode()
    assert browser_of(alice).get("/statuses/4711/edit/").status_code == 404
    assert browser_of(alice).put(address).status_code == 405
    suspend(user=alice)
    assert stranger.get(address).status_code == 404
    assert shown_in_sql(status) == "first"


def shown_in_sql(status: Status) -> str:
    return Status.objects.get(pk=status.pk).text


def test_the_link_to_edit_is_in_the_menu_of_ones_own_young_statuses(
    status: Status, alice: User, bob: User
) -> None:
    old = made(OLD, alice)

    def menu(reader: User, pk: int) -> str:
        return browser_of(reader).get(f"/@alice/{pk}/menu/?next=/%40alice/").content.decode()

    assert f'href="/statuses/{status.pk}/edit/?next=%2F%40alice%2F"' in menu(alice, status.pk)
    assert f"/statuses/{old.pk}/edit/" not in menu(alice, old.pk)
    assert f'href="/statuses/{old.pk}/delete/' in menu(alice, old.pk)
    assert "/edit/" not in menu(bob, status.pk)


def test_the_history_shows_every_version_to_everybody(
    client: Client, status: Status, alice: User, bob: User
) -> None:
    assert "edited</a>" not in client.get("/@alice/").content.decode()
    edit_status(status=status, by=alice, text="<b>second</b> @bob")
    page = client.get("/@alice/").content.decode()
    assert f'<a class="status-edited" href="/@alice/{status.pk}/history/"' in page
    page = client.get(f"/@alice/{status.pk}/history/").content.decode()
    versions = page.split('<ol class="versions"')[1].split("<li>")[1:]
    assert len(versions) == 2
    assert "&lt;b&gt;second&lt;/b&gt;" in versions[0]
    assert 'href="/@bob/"' in versions[0]
    assert "<details" not in versions[0]
    assert "first" in versions[1]
    assert '<span dir="auto">careful</span>' in versions[1]
    suspend(user=bob)
    page = client.get(f"/@alice/{status.pk}/history/").content.decode()
    assert 'href="/@bob/"' not in page


def test_what_moderators_cover_is_covered_in_its_history(client: Client, alice: User) -> None:
    status = post_status(author=alice, text="first")
    edit_status(status=status, by=alice, text="second")
    mark_sensitive(status=status)
    page = client.get(f"/@alice/{status.pk}/history/").content.decode()
    assert page.count('<details class="cw">') == 2
    for text in ("first", "second"):
        before, _, after = page.partition(f"{text}</p>")
        assert before.count("<details") - before.count("</details>") == 1
        assert "</details>" in after


def test_a_warning_folds_the_text_away_until_a_reader_wants_to_see_it(
    client: Client, alice: User
) -> None:
    browser = browser_of(alice)
    page = browser.get("/").content.decode()
    fold = page[page.index('<details class="composer-warning"') :]
    assert fold.startswith('<details class="composer-warning">'), "closed: nothing is in it"
    assert 'name="warning"' in fold[: fold.index("</details>")]
    browser.post("/statuses/", {"text": "snape dies", "warning": "<spoiler>"})
    page = client.get("/@alice/").content.decode()
    article = page[page.index("<article") : page.index("</article>")]
    folded = article[article.index("<details") : article.index("</details>")]
    assert '<span dir="auto">&lt;spoiler&gt;</span>' in folded
    assert "snape dies" in folded
    page = client.get(f"/@alice/{Status.objects.get().pk}/").content.decode()
    assert "snape" not in page[: page.index("<main")], "nor does a preview of a link give it away"
    refused = browser.post("/statuses/", {"text": "", "warning": "<spoiler>"}).content.decode()
    assert '<details class="composer-warning" open>' in refused
    assert 'value="&lt;spoiler&gt;"' in refused
