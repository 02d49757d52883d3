"""Who comes across an account where people are looked for, written down by hand."""

from collections.abc import Callable, Iterator
from typing import get_args
from unittest.mock import patch

import pytest

from explore.people.selectors import suggestions
from lists.services import create_list
from relations.services import accept, follow
from search.interests import finding as interests
from statuses.services import post_status
from tags.interests.services import change_interests
from tests.privacy.rules import ACCOUNTS, Account, Viewer
from tests.privacy.stage import Stage, set_stage, set_stage_without_posts
from users.services import change_profile

APART = frozenset[Viewer](["blocked", "blocking"])
ALL = frozenset[Viewer](get_args(Viewer))
FOLLOWERS = frozenset[Viewer](["follower", "muting"])
NOBODY = frozenset[Viewer]()
# Whose own doing keeps an account out of what is suggested to them.
DECIDED = FOLLOWERS | APART | {"author", "requested"}

By = dict[Account, frozenset[Viewer]]
OPEN_TO_ALL: By = {"open": ALL - APART, "private": ALL - APART, "suspended": NOBODY}
# Among members: nobody is offered themselves.
OFFERED = ALL - APART - {"visitor", "author"}

PLACES: dict[str, By] = {
    "search by beginning": OPEN_TO_ALL | {"silenced": FOLLOWERS},
    "search by bio": OPEN_TO_ALL | {"silenced": FOLLOWERS},
    "search by interests": OPEN_TO_ALL | {"silenced": FOLLOWERS},
    "search by interests, of which some": OPEN_TO_ALL | {"silenced": FOLLOWERS},
    "search by name": OPEN_TO_ALL | {"silenced": ALL - APART},
    "members of a list, by name": {
        "open": ALL - APART - {"visitor"},
        "private": ALL - APART - {"visitor"},
        "silenced": ALL - APART - {"visitor"},
        "suspended": NOBODY,
    },
    "completion": {
        "open": OFFERED,
        "private": OFFERED,
        "silenced": FOLLOWERS,
        "suspended": NOBODY,
    },
    "names that a browser keeps": {
        "open": FOLLOWERS,
        "private": FOLLOWERS,
        "silenced": FOLLOWERS,
        "suspended": NOBODY,
    },
    "suggestions": {
        # `requested` has asked while the account was private, so it does not ask again.
        "open": ALL - DECIDED | {"requested"},
        # Somebody whom they follow follows the author.
        "private": ALL - DECIDED - {"visitor"},
        "silenced": NOBODY,
        "suspended": NOBODY,
    },
    "public lists": OPEN_TO_ALL | {"silenced": ALL - APART},
    "private lists": {
        "open": frozenset({"author"}),
        "private": frozenset({"author"}),
        "silenced": frozenset({"author"}),
        "suspended": NOBODY,
    },
    "followers one knows, on a profile": {
        "open": FOLLOWERS,
        "private": FOLLOWERS,
        "silenced": FOLLOWERS,
        "suspended": NOBODY,
    },
}


def texts(stage: Stage, viewer: Viewer) -> Iterator[tuple[str, str]]:
    """What each place says, and what it would say of the author there."""
    browser = stage.browsers[viewer]

    def text(address: str) -> str:
        answer = browser.get(address)
        return answer.content.decode() if answer.status_code == 200 else ""

    found: dict[str, Callable[[], str]] = {
        "search by beginning": lambda: text("/search/?q=@autho&tab=people"),
        "search by bio": lambda: text("/search/?q=gardens&tab=people"),
        "search by interests": lambda: text("/search/?q=%23orchids+lang:eo&tab=interests"),
        "search by interests, of which some": lambda: _by_some_interests(text),
        "search by name": lambda: text("/search/?q=@author&tab=people"),
        "members of a list, by name": lambda: _members_found(stage, viewer, text),
        "completion": lambda: text("/complete/?q=@autho"),
        "names that a browser keeps": lambda: _kept(text("/complete/contacts/")),
        "suggestions": lambda: _suggested(stage, viewer),
        "public lists": lambda: "of the author" if "Overt" in text("/@author/lists/") else "",
        "private lists": lambda: "of the author" if "Covert" in text("/@author/lists/") else "",
        "followers one knows, on a profile": lambda: _acquaintances(text("/@booster/")),
    }
    for place, look in found.items():
        yield place, look()


def _members_found(stage: Stage, viewer: Viewer, text: Callable[[str], str]) -> str:
    if viewer == "visitor":
        return ""
    list_ = stage.people[viewer].lists.filter(name="Mine").first()
    list_ = list_ or create_list(owner=stage.people[viewer], name="Mine", is_private=True)
    return text(f"/lists/{list_.pk}/members/find/?q=author")


def _by_some_interests(text: Callable[[str], str]) -> str:
    """By sets in Redis, as where many people have them."""
    with patch.object(interests, "FEW", 0):
        return text("/search/?q=%23orchids+%23roses+%23ferns&tab=interests&least=2")


def _kept(names: str) -> str:
    return "of the author" if '["author"' in names else ""


def _suggested(stage: Stage, viewer: Viewer) -> str:
    person = None if viewer == "visitor" else stage.people[viewer]
    return " ".join(f'/@{it.person.username}/ "' for it in suggestions(person, limit=50))


def _acquaintances(page: str) -> str:
    _, _, after = page.partition('class="known')
    return after.partition("</p>")[0]


def names_the_author(text: str) -> bool:
    return any(it in text for it in ("of the author", "/@author/", '"username": "author"'))


@pytest.mark.parametrize("account", ACCOUNTS)
@pytest.mark.usefixtures("transactional_db")
def test_who_comes_across_an_account(account: Account) -> None:
    stage = set_stage_without_posts(account)
    change_profile(user=stage.author, name=stage.author.name, bio="Likes gardens")
    change_interests(user=stage.author, names=["orchids", "roses"], languages=["eo"])
    if account != "suspended":
        create_list(owner=stage.author, name="Overt")
        create_list(owner=stage.author, name="Covert", is_private=True)
        a_friend_follows_the_author(stage)
    wrong = []
    for viewer in ALL:
        if account == "suspended" and viewer == "author":
            continue
        for place, text in texts(stage, viewer):
            is_shown = names_the_author(without_own_links(text, stage, viewer))
            if is_shown is not (viewer in PLACES[place][account]):
                wrong.append(f"{viewer}, {place}: {'shown' if is_shown else 'hidden'}")
    assert wrong == []


def a_friend_follows_the_author(stage: Stage) -> None:
    """Everybody follows the friend."""
    friend = stage.people["booster"]
    follow(follower=friend, followee=stage.author)
    accept(follower=friend, followee=stage.author)


def without_own_links(text: str, stage: Stage, viewer: Viewer) -> str:
    """The navigation and the head of the column link to the reader's own profile."""
    _, _, page = text.partition('id="main"')
    return page.partition("</header>")[2] or text


@pytest.mark.usefixtures("transactional_db")
def test_tags_of_hidden_posts_are_completed_for_nobody() -> None:
    stage = set_stage("private")
    post_status(author=stage.author, text="#verysecret")
    for viewer in ALL - {"visitor"}:
        answer = stage.browsers[viewer].get("/complete/?q=%23very")
        assert answer.json()["tags"] == []
        page = stage.browsers[viewer].get("/search/?q=very&tab=tags").content.decode()
        assert "verysecret" not in page
