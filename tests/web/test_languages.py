"""Pages speak the language of their reader, whoever was served before them."""

import re
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.utils import translation
from pytest_django import DjangoAssertNumQueries

from configuration.site import Site
from notifications.grouping.kinds import KINDS
from notifications.rendering import SENTENCES
from relations.services import follow
from statuses.reactions.services import like
from statuses.selectors import show
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.round_trips import counting_round_trips
from users.models import User
from web.languages import chosen_language, kept_in_each_language
from web.middleware import in_language_of_reader
from web.refusals import Refusal

pytestmark = pytest.mark.django_db

ENGLISH, CHINESE = "en", "zh-hans"
NOT_FOUND = {ENGLISH: "There is nothing here", CHINESE: "这里什么都没有"}


def language_of(page: Any) -> str:
    found = re.search(r'<html lang="([\w-]+)"', page.content.decode())
    assert found
    assert page["Content-Language"] == found[1]
    assert NOT_FOUND[found[1]] in page.content.decode()
    return found[1]


def visit(browser: Client | None = None, *, accept: str = "") -> Any:
    browser = browser or Client()
    return browser.get("/nothing-here/", HTTP_ACCEPT_LANGUAGE=accept)


def speaking(user: User, language: str) -> User:
    user.language = language
    user.save(update_fields=["language"])
    return user


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", ENGLISH),
        ("zh-CN,zh;q=0.9,en;q=0.8", CHINESE),
        ("zh", CHINESE),
        ("zh-Hans-CN", CHINESE),
        ("en-GB,zh;q=0.5", ENGLISH),
        ("fr-FR,zh-CN;q=0.7,en;q=0.3", CHINESE),
        ("fr", ENGLISH),
        ("*", ENGLISH),
        ("zh;q=nonsense", ENGLISH),
        ("x" * 10_000, ENGLISH),
    ],
)
def test_visitors_read_what_their_browser_asks_for(header: str, language: str) -> None:
    assert language_of(visit(accept=header)) == language


def test_the_cookie_of_a_visitor_counts_more_than_the_browser() -> None:
    browser = Client()
    browser.cookies["language"] = CHINESE
    assert language_of(visit(browser, accept="en")) == CHINESE
    browser.cookies["language"] = "klingon"
    assert language_of(visit(browser, accept="zh")) == CHINESE


def test_the_choice_of_an_account_counts_more_than_all(alice: User) -> None:
    browser = browser_of(speaking(alice, CHINESE))
    browser.cookies["language"] = ENGLISH
    assert language_of(visit(browser, accept="en")) == CHINESE
    speaking(alice, "")
    assert language_of(visit(browser, accept="zh")) == ENGLISH
    assert chosen_language("gone", None, "zh") == CHINESE


def test_the_admin_follows_the_language_of_the_account(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    page = browser_of(speaking(alice, CHINESE)).get("/admin/")
    assert page["Content-Language"] == CHINESE
    assert "退出" in page.content.decode()


def test_shared_caches_keep_languages_apart() -> None:
    page = Client().get("/", HTTP_ACCEPT_LANGUAGE="zh")
    assert {"Accept-Language", "Cookie"} <= set(page["Vary"].split(", "))
    assert "private" not in page.get("Cache-Control", "")
    assert not page.cookies
    browser = Client()
    browser.cookies["language"] = CHINESE
    assert "private" in browser.get("/")["Cache-Control"]


def test_what_programs_read_has_no_language(alice: User) -> None:
    browser = browser_of(speaking(alice, CHINESE))
    for address in ("/healthz", "/robots.txt"):
        answer = browser.get(address)
        assert "Content-Language" not in answer
        assert "Accept-Language" not in answer.get("Vary", "")


def test_a_thread_forgets_the_language_of_a_request() -> None:
    """Even if the request fails."""

    def broken(_request: HttpRequest) -> HttpResponse:
        assert translation.get_language() == CHINESE
        raise RuntimeError

    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = "zh"
    with pytest.raises(RuntimeError):
        in_language_of_reader(broken)(request)
    assert translation.get_language() == ENGLISH


def test_early_refusals_are_in_the_language_of_the_reader(settings: object) -> None:
    refused = Client().post("/login/", HTTP_TRANSFER_ENCODING="chunked", HTTP_ACCEPT_LANGUAGE="zh")
    assert refused.status_code == 411
    assert "内容太大" in refused.content.decode()
    stale = Client(enforce_csrf_checks=True).post("/login/", HTTP_ACCEPT_LANGUAGE="zh")
    assert "表单已失效" in stale.content.decode()
    wrong = Client().get("/language/", HTTP_ACCEPT_LANGUAGE="zh")
    assert (wrong.status_code, "这个链接无效" in wrong.content.decode()) == (405, True)


# Kept HTML --------------------------------------------------------------------------------


def test_kept_html_does_not_leak_from_one_language_into_another(
    alice: User, bob: User, carol: User
) -> None:
    """Home, profile, thread and notifications, by readers who take turns in one process."""
    follow(follower=carol, followee=alice)
    status = post_status(author=alice, text="hello", warning="Tea")
    [shown] = show([status.pk], viewer=bob).statuses
    like(user=bob, status=shown.status)
    like(user=carol, status=shown.status)
    drain()
    chinese, english = browser_of(speaking(bob, CHINESE)), browser_of(carol)
    owner = browser_of(alice)
    for _ in range(2):
        for address in ("/", "/@alice/", f"/@alice/{status.pk}/"):
            pages = [browser.get(address).content.decode() for browser in (chinese, english)]
            assert ["刚刚" in page for page in pages] == [True, False], address
            assert [">now<" in page for page in pages] == [False, True], address
            assert ['<html lang="zh-hans"' in page for page in pages] == [True, False], address
        for language, liked in ((CHINESE, "喜欢了"), (ENGLISH, " liked ")):
            page = owner.get("/notifications/", HTTP_COOKIE=with_cookie(owner, language))
            assert liked in page.content.decode()


def with_cookie(browser: Client, language: str) -> str:
    return f"sessionid={browser.cookies['sessionid'].value}; language={language}"


def test_a_chinese_home_page(alice: User, bob: User) -> None:
    post_status(author=alice, text="hello")
    page = browser_of(speaking(bob, CHINESE)).get("/").content.decode()
    assert '<html lang="zh-hans"' in page
    for words in ("首页", "探索", "通知", "列表", "书签", "个人主页", "设置", "有什么新鲜事？"):
        assert words in page, words


def test_the_language_costs_no_query_and_no_round_trip(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    post_status(author=alice, text="hello")
    browser = browser_of(speaking(bob, CHINESE))
    browser.get("/")
    with django_assert_num_queries(1), counting_round_trips() as trips:
        browser.get("/")
    assert len(trips) <= 5


def test_what_is_kept_is_made_once_for_each_language() -> None:
    made: list[str | None] = []

    @kept_in_each_language(10)
    def words(name: str) -> str:
        made.append(translation.get_language())
        return f"{name} {translation.get_language()}"

    for _ in range(2):
        for language in (ENGLISH, CHINESE):
            with translation.override(language):
                assert words("it") == f"it {language}"
    assert made == [ENGLISH, CHINESE]


# Words ------------------------------------------------------------------------------------


def test_messages_and_refusals_are_in_the_language_of_the_reader(alice: User) -> None:
    browser = browser_of(speaking(alice, CHINESE))
    status = post_status(author=alice, text="hello")
    page = browser.post(f"/statuses/{status.pk}/delete/", {"next": "/"}, follow=True)
    assert "帖子已删除。" in page.content.decode()
    refused = browser.post("/statuses/", {"text": "x" * (Site.longest_post + 1)})
    assert refused.status_code == 400
    assert f"帖子最多 {Site.longest_post} 个字符" in refused.content.decode()
    assert "这个字段是必填项" in browser.post("/lists/", {}).content.decode()  # Django's own


def test_commands_and_tasks_speak_english(alice: User) -> None:
    with pytest.raises(Refusal, match="follow yourself"):
        follow(follower=alice, followee=alice)


def test_every_kind_of_notification_has_its_sentence() -> None:
    assert set(SENTENCES) == set(KINDS)
    for language in (ENGLISH, CHINESE):
        with translation.override(language):
            for sentence in map(str, SENTENCES.values()):
                assert sentence.count("[") == sentence.count("]") <= 1


# The form at the foot of a page -----------------------------------------------------------


def choose(browser: Client, language: str, **headers: str) -> Any:
    fields = {"language": language, "next": "/explore/"}
    return browser.post("/language/", fields, headers=headers)


def test_visitors_choose_their_language() -> None:
    browser = Client(enforce_csrf_checks=True)
    assert '<button name="language" value="zh-hans"' in (browser.get("/").content.decode())
    answer = choose(browser, CHINESE)
    assert (answer.status_code, answer["Location"]) == (302, "/explore/")
    assert answer.cookies["language"]["httponly"]
    assert language_of(visit(browser, accept="en")) == CHINESE
    assert re.search(
        r">English</button>\s*<button[^>]*>简体中文<", browser.get("/").content.decode()
    )
    choose(browser, ENGLISH)
    assert language_of(visit(browser, accept="zh")) == ENGLISH


def test_members_choose_it_for_their_account(alice: User) -> None:
    browser = browser_of(alice)
    choose(browser, CHINESE)
    alice.refresh_from_db()
    assert alice.language == CHINESE
    assert 'name="language" value="zh-hans"' not in browser.get("/explore/").content.decode()


@pytest.mark.parametrize(
    ("language", "origin", "code"),
    [
        (CHINESE, "http://testserver", 302),
        (CHINESE, "https://evil.example", 400),
        (CHINESE, "null", 400),
        ("klingon", "http://testserver", 400),
        ("", "http://testserver", 400),
    ],
)
def test_only_pages_of_the_site_choose_and_only_what_there_is(
    alice: User, language: str, origin: str, code: int
) -> None:
    browser = browser_of(alice)
    answer = choose(browser, language, origin=origin)
    alice.refresh_from_db()
    assert (answer.status_code, "language" in answer.cookies) == (code, code == 302)
    assert bool(alice.language) is (code == 302)


def test_it_leads_nowhere_else() -> None:
    answer = Client().post("/language/", {"language": CHINESE, "next": "https://evil.example/"})
    assert answer["Location"] == "/"
