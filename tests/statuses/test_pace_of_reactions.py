"""How often one may do it."""

from collections.abc import Sequence

import pytest

from statuses.models import Status
from statuses.reactions import store as reaction_store
from statuses.reactions.rows import REACTIONS
from tests.cast import browser_of
from tests.statuses.reading_reactions import post, posts
from users import throttling
from users.models import User

GO_BACK = '<a class="button" href="/@bob/">Go back</a>'
# The form comes again, with what was written in it.
WAYS_BACK = dict.fromkeys(
    ("post", "edit"), '<a class="icon-button" href="/@bob/" aria-label="Back">'
)


@pytest.mark.parametrize(
    ("kind", "path", "fields"),
    [
        ("post", "/statuses/", {"text": "again"}),
        ("edit", "/statuses/{}/edit/", {"text": "again"}),
        ("like", "/statuses/{}/like/", {}),
        ("boost", "/statuses/{}/boost/", {}),
        ("bookmark", "/statuses/{}/bookmark/", {}),
        ("undo", "/statuses/{}/unlike/", {}),
        ("undo", "/statuses/{}/unboost/", {}),
        ("undo", "/statuses/{}/unbookmark/", {}),
        ("follow", "/@bob/follow/", {}),
        ("unfollow", "/@bob/unfollow/", {}),
        ("boosts_hidden", "/@bob/hide_boosts/", {}),
        ("boosts_hidden", "/@bob/show_boosts/", {}),
    ],
)
@pytest.mark.parametrize("pace", [throttling.Pace(1), throttling.Pace(100, per_minute=1)])
def test_too_much_in_an_hour_or_a_minute_has_to_wait(
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
    kind: throttling.Writing,
    path: str,
    fields: dict[str, str],
    pace: throttling.Pace,
) -> None:
    status = post(alice, "hello")
    monkeypatch.setitem(throttling.PACES, kind, pace)
    browser, address = browser_of(alice), path.format(status.id)
    assert browser.post(address, fields).status_code == 302
    before = state(alice)
    answer = browser.post(address, fields | {"next": "/@bob/"})
    assert answer.status_code == 429
    longest = 60 if pace.per_minute else 3600
    assert 0 < int(answer["Retry-After"]) <= longest
    assert WAYS_BACK.get(kind, GO_BACK) in answer.content.decode()
    assert state(alice) == before
    other = browser_of(bob).post(f"/statuses/{status.id}/like/")
    assert other.status_code == 302, "everybody has a pace of their own"


def state(user: User) -> Sequence[object]:
    user.refresh_from_db()
    return [user.statuses_count, user.following_count, *Status.objects.values_list("edited_at")]


def test_who_did_too_much_can_still_undo_it(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = posts(alice, 2)
    browser = browser_of(carol)
    for reaction in ("like", "boost", "bookmark"):
        monkeypatch.setitem(throttling.PACES, reaction, throttling.Pace(1))
        assert browser.post(f"/statuses/{first.id}/{reaction}/").status_code == 302
        assert browser.post(f"/statuses/{second.id}/{reaction}/").status_code == 429
        assert browser.post(f"/statuses/{first.id}/un{reaction}/").status_code == 302
    assert not any(
        reaction_store.rows_in_sql(it, carol.pk, among=[first.id, second.id]) for it in REACTIONS
    )


# As they are: tests have none.
paces = dict(throttling.PACES)


def test_more_can_be_undone_than_done() -> None:
    done = [paces["like"], paces["boost"], paces["bookmark"]]
    assert int(paces["undo"].limit) >= sum(int(it.limit) for it in done)
    assert paces["undo"].per_minute >= sum(it.per_minute for it in done)


def test_a_refused_reaction_does_not_count(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttling.PACES, "like", throttling.Pace(1))
    status, browser = post(alice, "hello"), browser_of(carol)
    assert browser.post("/statuses/4711/like/").status_code == 404
    assert browser.post(f"/statuses/{status.id}/like/").status_code == 302
