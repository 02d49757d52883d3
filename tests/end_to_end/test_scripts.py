"""What scripts add to the pages, in a real browser: in place, live, by keyboard."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route, expect

from configuration.site import Site
from statuses.words import text as server
from tests.interface.community import client_of, token_on
from tests.running_site import RunningSite, wait_for
from tests.windows import Windows

PASSWORD = "correct horse battery"
SPOKEN = 100
CAST = f"""
from relations.services import follow
from statuses.services import post_status
from users import throttling
from users.models import User
made = {{name: User.objects.create_user(name, f"{{name}}@example.com", {PASSWORD!r})
         for name in ("ola", "olive", "ben", "cleo")}}
follow(follower=made["ben"], followee=made["ola"])
with throttling.unlimited():
    for number in range({SPOKEN}):
        post_status(author=made["ola"], text=f"Number {{number}}")
"""
TRICKY = [
    "plain",
    "  spaces around  ",
    "é and e\u0301",
    "👨‍👩‍👧 🇩🇪 👍🏽",
    "one\n\n\n\n  \n\ntwo",
    "한국어 ภาษาไทย",
    "हिन्दी क्षत्रिय বাংলা ক্ষমা తెలుగు",
    "\ufeffmark\u3000",
    "https://example.com/a/long/path?with=parts",
    "a\u0301\u0302\u0303 z",
]


@pytest.fixture(scope="module")
def cast(site: RunningSite) -> None:
    site.run(CAST)


def _run(site: RunningSite, code: str) -> str:
    setting = (
        "from statuses import services;"
        "from statuses.models import Status; from users.models import User;"
        "user = lambda name: User.objects.get(username=name);"
    )
    return site.run(setting + code)


def _post(site: RunningSite, name: str, text: str) -> str:
    return _run(site, f"print(services.post_status(author=user({name!r}), text={text!r}).pk)")


class Errors:
    """What the console said; a test names what it provokes."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.expected = ""

    @contextmanager
    def noted_on(self, page: Page) -> Iterator[None]:
        page.on("console", self._note_message)
        page.on("pageerror", self._note_error)
        yield
        page.remove_listener("console", self._note_message)
        page.remove_listener("pageerror", self._note_error)

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.found.append(f"{message.text} {message.location['url']}")

    def _note_error(self, error: Error) -> None:
        self.found.append(str(error))

    def unexpected(self) -> list[str]:
        return [it for it in self.found if not self.expected or self.expected not in it]


@pytest.fixture
def errors() -> Iterator[Errors]:
    errors = Errors()
    yield errors
    assert errors.unexpected() == []


@pytest.fixture(scope="module")
def windows(browser: Browser, site: RunningSite, cast: None) -> Windows:
    return Windows(browser, f"http://localhost:{site.port}")


@pytest.fixture(scope="module")
def bens_session(site: RunningSite, cast: None) -> httpx.Cookies:
    with client_of(site.url) as client:
        form = {"username": "ben", "password": PASSWORD}
        assert client.post("/login/", data=form | token_on(client, "/login/")).is_redirect
        return client.cookies


@pytest.fixture
def ben(windows: Windows, bens_session: httpx.Cookies, errors: Errors) -> Iterator[Page]:
    with windows.opened(bens_session) as page, errors.noted_on(page):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        with page.expect_response("**/streaming/home"):
            page.goto("/")
        _wait_for_scripts(page)
        yield page


def _fill_in(page: Page, name: str) -> None:
    page.get_by_label("Username").fill(name)
    page.locator("input[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    _wait_for_scripts(page)


def _wait_for_scripts(page: Page) -> None:
    """They make a place for what they say."""
    expect(page.locator("body > [role=status]")).to_have_count(1)


def test_a_like_shows_at_once_and_stays(ben: Page, site: RunningSite) -> None:
    like = ben.locator("[data-action=like]").first
    like.click()
    expect(like).to_have_attribute("aria-pressed", "true")
    expect(like.locator(".count")).to_have_text("1")
    expect(like).to_be_focused()
    ben.wait_for_load_state("networkidle")
    ben.reload()
    expect(ben.locator("[data-action=like]").first).to_have_attribute("aria-pressed", "true")
    _wait_for_scripts(ben)
    ben.locator("[data-action=like]").first.click()
    expect(ben.locator("[data-action=like] .count")).to_have_count(0)


def test_a_like_that_fails_is_taken_back_and_says_why(
    ben: Page, site: RunningSite, errors: Errors
) -> None:
    errors.expected = "/like/"
    status_id = _post(site, "ola", "Soon gone")
    ben.locator(".new-posts a").click()
    like = ben.locator(f"#status-{status_id} [data-action=like]")
    ben.route("**/like/", lambda route: route.abort())
    like.click()
    expect(ben.locator(".toast")).to_contain_text("No connection")
    expect(like).to_have_attribute("aria-pressed", "false")
    ben.unroute("**/like/")

    ben.route("**/streaming/home", lambda route: route.abort())
    _run(site, f"services.delete_status(status=Status.objects.get(pk={status_id}), by=user('ola'))")
    expect(like).to_be_hidden()
    ben.evaluate("id => document.getElementById(id).hidden = false", f"status-{status_id}")
    like.click()
    expect(ben.locator(".toast")).to_contain_text("no longer here")
    expect(like).to_have_attribute("aria-pressed", "false")


def test_new_posts_wait_behind_a_pill_and_do_not_move_what_is_read(
    ben: Page, site: RunningSite
) -> None:
    first = _post(site, "ola", "Fresh bread")
    pill = ben.locator(".new-posts a")
    expect(pill).to_have_text("Show 1 new post")
    pill.click()
    fresh = ben.locator(f"#status-{first}")
    expect(fresh).to_be_focused()
    expect(fresh.locator("[data-action=like]")).to_be_visible()
    expect(pill).to_have_count(0)

    read = ben.locator("article.status").nth(8)
    read.scroll_into_view_if_needed()
    ben.evaluate("scrollBy(0, 400)")
    before = read.bounding_box()
    _post(site, "ola", "Fresher bread")
    second = _post(site, "ola", "The freshest bread")
    expect(pill).to_have_text("Show 2 new posts")
    ben.keyboard.press(".")
    expect(ben.locator(".toast")).to_have_text("2 new posts above")
    read = ben.locator("article.status").nth(10)
    assert before
    assert read.bounding_box() == before
    expect(ben.locator("article.status").first).to_have_id(f"status-{second}")

    _run(site, f"services.delete_status(status=Status.objects.get(pk={second}), by=user('ola'))")
    expect(ben.locator(f"#status-{second}")).to_be_hidden()


def test_older_posts_come_by_themselves_and_are_there_after_going_back(ben: Page) -> None:
    entries = "all => all.map(card => card.id)"
    articles = ben.locator("article.status")

    def scroll() -> bool:
        ben.mouse.wheel(0, 3000)
        return articles.count() >= SPOKEN

    wait_for(scroll, what=f"{SPOKEN} posts")
    ids = articles.evaluate_all(entries)
    assert len(set(ids)) == len(ids)
    expect(ben).to_have_title(re.compile("^Home"))
    expect(ben.locator("[role=status]").last).to_contain_text("more post")
    card = articles.nth(SPOKEN - 10)
    card.scroll_into_view_if_needed()
    place = ben.evaluate("scrollY")
    card.locator(".status-time").click()
    expect(ben.get_by_role("heading", name="Post", exact=False).first).to_be_visible()
    ben.go_back()
    wait_for(lambda: abs(ben.evaluate("scrollY") - place) < 5, what="the same place")
    assert set(ids) <= set(articles.evaluate_all(entries))


def test_a_post_appears_in_place_and_mistakes_are_shown_in_the_box(
    ben: Page, errors: Errors
) -> None:
    errors.expected = "400 (Bad Request)"
    box = ben.locator(".composer textarea")
    box.fill("a \u0007 bell")
    box.press("Control+Enter")
    expect(ben.locator(".composer [role=alert]")).to_contain_text("control character")
    expect(box).to_have_value("a \u0007 bell")
    box.fill("Straight in")
    box.press("Control+Enter")
    expect(ben.locator("#posted article .status-text")).to_have_text("Straight in")
    expect(box).to_have_value("")
    expect(box).to_be_focused()
    expect(ben.locator(".new-posts a")).to_have_count(0)
    ben.reload()
    expect(box).to_have_value("")


def test_the_box_counts_what_the_server_counts(ben: Page) -> None:
    box = ben.locator(".composer textarea")
    for text in TRICKY:
        box.fill(text)
        left = Site.longest_post - server.length(server.clean(text))
        expect(ben.locator(".counter span")).to_have_text(str(left))


def test_a_draft_outlives_the_session(ben: Page) -> None:
    ben.locator(".composer textarea").fill("Half a thought")
    ben.context.clear_cookies(name="sessionid")
    ben.get_by_role("button", name="Post", exact=True).click()
    expect(ben.get_by_label("Username")).to_be_visible()
    _fill_in(ben, "ben")
    box = ben.locator(".composer textarea")
    expect(box).to_have_value("Half a thought")
    ben.get_by_role("button", name="Post", exact=True).click()
    expect(ben.locator("#posted article")).to_contain_text("Half a thought")
    ben.reload()
    expect(box).to_have_value("")


def test_names_and_tags_are_completed(ben: Page, site: RunningSite) -> None:
    _post(site, "olive", "What an #Adventure")
    box = ben.locator(".composer textarea")
    # Names of other tests end in hexadecimal digits, which are found too.
    box.press_sequentially("Hello @ol")
    expect(ben.locator(".completion > li")).to_have_count(2)
    expect(ben.locator(".completion > [aria-selected=true]")).to_contain_text("@ola")
    box.press("ArrowDown")
    expect(ben.locator(".completion > [aria-selected=true]")).to_contain_text("@olive")
    box.press("Enter")
    expect(box).to_have_value("Hello @olive ")
    expect(ben.get_by_role("listbox")).to_have_count(0)
    box.press_sequentially("#adv")
    ben.locator(".completion > li").click()
    expect(box).to_have_value("Hello @olive #Adventure ")
    box.press_sequentially("mail@ol")
    box.press("Escape")
    expect(ben.get_by_role("listbox")).to_have_count(0)


def test_posts_are_read_by_keyboard(ben: Page) -> None:
    articles = ben.locator("article.status")
    ben.keyboard.press("j")
    ben.keyboard.press("j")
    expect(articles.nth(1)).to_be_focused()
    ben.keyboard.press("k")
    expect(articles.first).to_be_focused()
    ben.keyboard.press("l")
    expect(articles.first.locator("[data-action=like]")).to_have_attribute("aria-pressed", "true")
    ben.keyboard.press("l")
    expect(articles.first.locator("[data-action=like]")).to_have_attribute("aria-pressed", "false")
    ben.keyboard.press("?")
    expect(ben.get_by_role("dialog")).to_contain_text("Next and previous post")
    ben.keyboard.press("Escape")
    ben.keyboard.press("n")
    ben.keyboard.type("jkl?")
    expect(ben.get_by_role("dialog").locator("textarea")).to_have_value("jkl?")
    ben.get_by_role("dialog").locator("textarea").fill("")
    ben.keyboard.press("Escape")
    expect(ben.get_by_role("dialog")).to_have_count(0)
    ben.locator("h1").click()
    ben.keyboard.press("j")
    ben.keyboard.press("o")
    expect(ben.locator(".focus")).to_be_visible()
    _wait_for_scripts(ben)
    ben.keyboard.press("r")
    expect(ben.locator(".composer textarea")).to_be_focused()


def test_the_menu_opens_at_the_card(ben: Page) -> None:
    more = ben.locator("article.status", has_text="@ola").first.locator("[data-action=more]")
    more.click()
    menu = ben.locator(".status-actions .menu-list")
    expect(menu.get_by_text("Link to this post")).to_be_focused()
    ben.keyboard.press("ArrowDown")
    expect(menu.get_by_text("Mute this conversation")).to_be_focused()
    ben.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(more).to_be_focused()
    more.click()
    menu.get_by_text("Link to this post").click()
    expect(ben.locator(".toast")).to_contain_text("Link copied")
    assert "/@ola/" in ben.evaluate("navigator.clipboard.readText()")


def test_muting_hides_the_cards_until_it_is_undone(ben: Page) -> None:
    shown = ben.locator("article.status:visible", has_text="@ola")
    before = shown.count()
    ben.locator("article.status", has_text="@ola").first.locator("[data-action=more]").click()
    ben.get_by_text("Mute @ola").click()
    expect(ben.locator(".toast")).to_contain_text("You muted @ola.")
    expect(shown).to_have_count(0)
    ben.get_by_role("button", name="Undo").press("Enter")
    expect(shown).to_have_count(before)


def test_the_focus_stays_on_undo_when_older_posts_are_announced(ben: Page) -> None:
    shown = ben.locator("article.status:visible", has_text="@ola")
    before = shown.count()
    held: list[Route] = []
    ben.route("**/?max_id=*", lambda route: held.append(route))
    ben.locator("article.status", has_text="@ola").first.locator("[data-action=more]").click()
    ben.get_by_text("Mute @ola").click()
    ben.get_by_role("button", name="Undo").focus()
    expect(shown).to_have_count(0)
    wait_for(lambda: ben.evaluate("0") or held, what="the request for older posts")
    held[0].continue_()
    expect(ben.locator("[role=status] p")).to_contain_text("more post")
    ben.keyboard.press("Enter")
    expect(shown).to_have_count(before)


def test_following_happens_in_place(ben: Page) -> None:
    ben.goto("/@cleo/")
    _wait_for_scripts(ben)
    button = ben.locator("#main form.follow button").first
    button.click()
    form = ben.locator('#main form[action="/@cleo/unfollow/"]')
    expect(form).to_have_count(1)
    expect(form.locator("button")).to_be_focused()
    form.locator("button").click()
    expect(ben.locator(".toast")).to_contain_text("Unfollowed")
    ben.get_by_role("button", name="Undo").press("Enter")
    expect(form).to_have_count(1)
    ben.reload()
    _wait_for_scripts(ben)
    expect(form).to_have_count(1)
    form.locator("button").click()
    expect(ben.locator('#main form[action="/@cleo/follow/"]')).to_have_count(1)


def test_a_reply_appears_beneath_the_post(ben: Page) -> None:
    ben.locator("article.status .status-time").last.click()
    expect(ben.locator("#reply")).to_be_visible()
    _wait_for_scripts(ben)
    ben.locator("#reply").fill("So say I")
    ben.get_by_role("button", name="Reply", exact=True).click()
    expect(ben.locator("#posted article .status-text")).to_have_text("So say I")
    expect(ben.locator("#reply")).to_have_value("")


def test_notifications_change_the_number_beside_the_bell(ben: Page, site: RunningSite) -> None:
    _post(site, "cleo", "Hello @ben")
    expect(ben.locator(".places .unread-count")).to_contain_text("1")


def test_the_exact_time_shows_over_the_age(browser: Browser, site: RunningSite, ben: Page) -> None:
    time = ben.locator(".status-time time").first
    time.hover()
    expect(time).to_have_attribute("title", re.compile(r"20\d\d"))
