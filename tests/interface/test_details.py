"""Small things that only a browser shows: folds, marks, announcements, passwords, copies."""

import re

from playwright.sync_api import Locator, expect

from tests.interface.community import PHONE
from tests.interface.people import Meet, Person
from tests.windows import Windows

HOME = "/"
POEM = "\n".join(["poem", *(f"line {number}" for number in range(1, 25))])
# A glyph of each has to be whole: it is inside of the box that clips.
ZALGO = "H\u0351\u0352\u0357\u035b\u0323\u0324" * 4 + "e" + "\u0301\u0302\u0303\u0304\u0306" * 30
LINES = "it => it.getBoundingClientRect().height / parseFloat(getComputedStyle(it).lineHeight)"
CLIPS = "it => getComputedStyle(it).overflowY === 'clip' && getComputedStyle(it).overflowClipMargin"
FORBID = """() => {
  navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
  document.execCommand = () => false;
}"""
# What the region for announcements said, in order.
LISTEN = """() => {
  window.said = [];
  const region = [...document.querySelectorAll("body > [role=status]")].at(-1);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const it of addedNodes) said.push(it.textContent);
  }).observe(region, { childList: true });
}"""


def _says(person: Person, text: str) -> Locator:
    """The card is found by the first word. A box that grows by itself moves what is beneath it; for
    people it grows as they type.
    """
    person.page.get_by_label("What's happening?").fill(text)
    person.page.get_by_role("button", name="Post", exact=True).click()
    card = person.card(text.split()[0])
    expect(card).to_be_visible()
    return card


def _lines(text: Locator) -> int:
    return round(float(text.evaluate(LINES)))


def _is_long(person: Person, card: Locator) -> None:
    """Cut after twelve lines, and whole when somebody asks for it."""
    text = card.locator(".status-text")
    assert _lines(text) == 12
    more = card.get_by_text("Show more")
    more.click()
    assert _lines(text) == 25
    card.get_by_text("Show less").click()
    assert _lines(text) == 12
    card.get_by_role("checkbox").focus()
    person.page.keyboard.press("Space")
    assert _lines(text) == 25


def test_a_long_post_is_folded_in_lists_and_whole_on_its_page(meet: Meet) -> None:
    author = meet("poet", jumps_at=HOME)
    card = _says(author, POEM)
    _is_long(author, card)
    author.page.reload()
    card.locator(".status-time").click()
    author.sees(re.compile("^Post"))
    text = author.page.locator(".focus .status-text")
    assert _lines(text) == 25
    expect(author.page.locator(".focus .unfold")).to_be_hidden()


def test_a_long_post_is_folded_without_scripts_and_as_it_comes(meet: Meet) -> None:
    author, plain = meet("poet"), meet("plain", java_script_enabled=False)
    live = meet("live", viewport=PHONE)
    live.has_followed(author)
    live.watches_home()
    author.has_posted(POEM)
    plain.visits(author)
    _is_long(plain, plain.card("poem"))
    live.page.get_by_role("link", name="Show 1 new post").click()
    _is_long(live, live.card("poem"))


def test_piled_up_marks_stay_within_their_post(meet: Meet) -> None:
    author = meet("zalgo")
    author.has_posted(f"marks {ZALGO}")
    assert author.card("marks").locator(".status-text").evaluate(CLIPS)


def test_new_posts_are_announced_once(meet: Meet) -> None:
    author, reader = meet("author"), meet("reader")
    reader.has_followed(author)
    reader.watches_home()
    reader.page.evaluate(LISTEN)
    author.has_posted(*(f"News {number}" for number in range(3)))
    expect(reader.page.get_by_role("link", name="Show 3 new posts")).to_be_visible()
    assert reader.page.evaluate("said") == ["Show 1 new post"]


def test_too_long_is_announced_once(meet: Meet) -> None:
    person = meet("writer", jumps_at=HOME)
    box = person.page.get_by_label("What's happening?")
    person.page.evaluate(LISTEN)
    box.fill("x" * 500)
    expect(person.page.locator(".counter").first).to_be_visible()  # its script is here
    assert person.page.evaluate("said") == []
    box.press_sequentially("abc")
    assert person.page.evaluate("said") == ["1 character too long"]
    box.fill("x")
    box.fill("x" * 502)
    assert person.page.evaluate("said.length") == 2


def test_passwords_are_shown_on_demand(meet: Meet) -> None:
    for scripts in (True, False):
        page = meet("visitor", is_new=True, java_script_enabled=scripts).page
        for address in ("/login/", "/signup/"):
            page.goto(address)
            button = page.get_by_role("button", name="Show password")
            expect(button).to_have_count(int(scripts))
            if not scripts:
                continue
            field = page.get_by_label("Password")
            field.fill("correct horse")
            button.click()
            expect(field).to_have_attribute("type", "text")
            expect(button).to_have_attribute("aria-pressed", "true")
            button.click()
            expect(field).to_have_attribute("type", "password")


def test_a_token_is_copied_or_selected(meet: Meet) -> None:
    person = meet("programmer")
    page = person.page
    for is_allowed in (True, False):
        page.goto("/settings/tokens/")
        if is_allowed:
            page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_label("Name").fill("My app")
        page.get_by_role("button", name="Create token").click()
        if not is_allowed:
            page.evaluate(FORBID)
        token = page.locator("#new-secret").inner_text()
        page.get_by_role("button", name="Copy").click()
        if is_allowed:
            expect(page.get_by_text("Copied")).to_be_visible()
            assert page.evaluate("navigator.clipboard.readText()") == token
        else:
            expect(page.get_by_text("Selected: press")).to_be_visible()
            assert page.evaluate("getSelection().toString()") == token


def test_the_stream_shows_cards_as_other_pages_do(meet: Meet) -> None:
    author, reader = meet("author"), meet("reader")
    page = reader.page
    page.goto("/developers/stream/")
    page.get_by_label("Words").fill("zanzibar,line")
    with page.expect_response("**/filter.json*"):
        page.get_by_role("button", name="Listen").click()
    expect(page.get_by_text("Listening.")).to_be_visible()
    author.has_posted("zanzibar and https://example.com/a/rather/long/path/to/somewhere")
    card = reader.card("zanzibar")
    text = card.locator(".status-text")
    expect(text).to_be_visible()
    assert _lines(text) <= 2
    expect(card.locator(".avatar")).to_be_visible()
    expect(card.get_by_text("Show more")).to_have_count(0)
    author.has_posted(POEM)
    expect(reader.card("poem")).to_be_visible()
    _is_long(reader, reader.card("poem"))
    reader.sees("Live stream")


def test_versions_show_the_readers_time(meet: Meet) -> None:
    author = meet("author", timezone_id="Asia/Tokyo")
    author.has_posted("First")
    card = author.card("First")
    author.opens_menu_of(card)
    card.get_by_role("link", name="Edit").click()
    author.page.get_by_label("Your post").fill("Second")
    author.page.get_by_role("button", name="Save").click()
    author.card("Second").get_by_role("link", name="edited").click()
    times = author.page.locator(".versions time")
    expect(times).to_have_count(2)
    expect(times.first).not_to_contain_text("UTC")
    expected = (
        "it => new Intl.DateTimeFormat('en', {timeStyle: 'short'}).format(new Date(it.dateTime))"
    )
    shown = times.first.inner_text().replace("\u202f", " ")
    assert times.first.evaluate(expected).replace("\u202f", " ") in shown


def test_a_visitor_who_likes_logs_in_and_comes_back(windows: Windows, meet: Meet) -> None:
    author = meet("author")
    author.has_posted("Like me, stranger")
    with windows.opened() as page:
        page.goto(f"/@{author.name}/")
        address = page.locator(".status-time").first.get_attribute("href")
        page.locator("[data-action=like]").first.click()
        expect(page.get_by_role("heading", name="Log in to Socialsite")).to_be_visible()
        page.get_by_label("Username").fill(author.name)
        page.locator("input[name=password]").fill("correct horse battery")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"**{address}")
