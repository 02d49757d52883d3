"""How much a member may write in an hour."""

import pytest

from lists.models import List
from statuses.services import post_status
from tests.cast import browser_of
from tests.member import PASSWORD
from users import throttling
from users.models import User

NEW_PASSWORD = {"old_password": PASSWORD, "new_password1": PASSWORD, "new_password2": PASSWORD}


@pytest.fixture
def one_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    once = dict.fromkeys(throttling.PACES, throttling.Pace(1))
    monkeypatch.setattr(throttling, "PACES", once)


@pytest.mark.usefixtures("one_an_hour")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("/lists/", {"name": "One"}), ("/lists/", {"name": "Two"})),
        (("/lists/", {"name": "One"}), ("/lists/1/edit/", {"name": "Two"})),
        (("/lists/", {"name": "One"}), ("/lists/1/delete/", {})),
        (
            ("/lists/1/members/add/", {"username": "carol"}),
            ("/lists/1/members/remove/", {"username": "carol"}),
        ),
        (("/settings/tokens/", {"name": "One"}), ("/settings/tokens/", {"name": "Two"})),
        (("/settings/password/", NEW_PASSWORD), ("/settings/password/", NEW_PASSWORD)),
    ],
)
def test_one_write_more_than_the_limit_has_to_wait(
    alice: User,
    carol: User,
    first: tuple[str, dict[str, str]],
    second: tuple[str, dict[str, str]],
) -> None:
    List.objects.create(pk=1, owner=alice, name="Friends")
    alice.set_password(PASSWORD)
    alice.save()
    browser = browser_of(alice)
    assert browser.post(*first).status_code in (200, 302, 400)
    answer = browser.post(*second)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 3600
    assert "Too many attempts" in answer.content.decode()
    assert browser.get("/lists/1/edit/").status_code == 200


@pytest.mark.usefixtures("one_an_hour")
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_who_posts_too_fast_is_told_so_and_keeps_the_text(
    alice: User, headers: dict[str, str]
) -> None:
    browser = browser_of(alice)
    assert browser.post("/statuses/", {"text": "one"}).status_code == 302
    again = {"text": "two", "visibility": "3", "language": "de"}
    answer = browser.post("/statuses/", again, headers=headers)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 3600
    page = answer.content.decode()
    assert "You&#x27;re posting too fast. Try again in" in page
    assert "Too many attempts" not in page
    assert "two</textarea>" in page
    assert '<option value="3" selected>' in page
    assert '<option value="de" selected>' in page


def test_deletions_have_a_limit_too(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(throttling.PACES, "deletion", throttling.Pace(1))
    first, second = (post_status(author=alice, text=text) for text in ("one", "two"))
    browser = browser_of(alice)
    assert browser.post(f"/statuses/{first.pk}/delete/").status_code == 302
    assert browser.post(f"/statuses/{second.pk}/delete/").status_code == 429
    assert browser.get(f"/@alice/{second.pk}/").status_code == 200


def test_who_edits_too_fast_is_told_so_and_keeps_the_text(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttling.PACES, "edit", throttling.Pace(1))
    status, browser = post_status(author=alice, text="one"), browser_of(alice)
    assert browser.post(f"/statuses/{status.pk}/edit/", {"text": "two"}).status_code == 302
    answer = browser.post(f"/statuses/{status.pk}/edit/", {"text": "three"})
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 3600
    page = answer.content.decode()
    assert "You&#x27;re editing too fast. Try again in" in page
    assert "three</textarea>" in page
