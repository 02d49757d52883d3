"""Whom and what a newcomer can read."""

import pytest
from django.core.cache import cache
from django.test import Client

from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from users.audience import Visibility
from users.models import User

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


@pytest.fixture
def company(transactional_db: None) -> dict[str, User]:
    """Hans and Greta write in German, Ann in English, Mei in Chinese; nobody knows about Zoe."""
    people = {name: make_user(name) for name in ("hans", "greta", "ann", "mei", "zoe")}
    said = {"hans": "de", "greta": "de", "ann": "en", "mei": "zh"}
    for name, language in said.items():
        post_status(author=people[name], text=f"#{language}tag", language=language)
    drain()
    cache.clear()
    return people


def suggested(browser: Client, headers: dict[str, str]) -> list[tuple[str, str]]:
    answer = browser.get("/welcome/people/", headers=headers)
    found = answer.context["suggested"]
    return [
        (it.person.username, it.language if it.reason.kind == "language" else "") for it in found
    ]


def test_people_who_write_in_the_readers_languages_come_first(
    carol: User, company: dict[str, User]
) -> None:
    found = suggested(browser_of(carol), GERMAN)
    german, english = "Deutsch", "English"
    assert set(found[:3]) == {("hans", german), ("greta", german), ("ann", english)}
    assert set(found[3:]) == {("mei", ""), ("zoe", "")}


def test_the_language_of_the_account_counts_too(carol: User, company: dict[str, User]) -> None:
    User.objects.filter(pk=carol.pk).update(language="zh-hans")
    found = suggested(browser_of(carol), GERMAN)
    assert {name for name, why in found if why} == {"hans", "greta", "ann", "mei"}
    assert found[-1] == ("zoe", "")


def test_a_browser_that_says_nothing_gets_everybody(carol: User, company: dict[str, User]) -> None:
    found = suggested(browser_of(carol), {"Accept-Language": ""})
    assert {name for name, _ in found} == {"hans", "greta", "ann", "mei", "zoe"}
    assert {why for _, why in found} == {""}


def test_only_what_everybody_sees_says_what_somebody_writes_in(
    carol: User, transactional_db: None
) -> None:
    secretive = make_user("secretive")
    post_status(author=secretive, text="psst", language="de", visibility=Visibility.FOLLOWERS)
    drain()
    assert suggested(browser_of(carol), GERMAN) == [("secretive", "")]


def test_tags_of_the_readers_languages_come_first(carol: User, company: dict[str, User]) -> None:
    answer = browser_of(carol).get("/welcome/interests/", headers=GERMAN)
    names = [tag.name for tag in answer.context["tags"]]
    assert set(names[:2]) == {"detag", "entag"}
    assert names[2:] == ["zhtag"]
    assert "in your languages: Deutsch, English." in answer.content.decode()
