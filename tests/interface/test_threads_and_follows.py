"""Following somebody, and threads that go on while they are read."""

import re

from playwright.sync_api import Locator, expect

from tests.interface.community import PHONE
from tests.interface.people import Meet, Person

# What `live.js` waits before it asks again whether an open thread has gone on.
LOOKS_AGAIN_MS = 15_000
SHOWN = """words => words
  .filter((it) => it.checkVisibility({ visibilityProperty: true }))
  .map((it) => it.textContent).join()"""


def _shown_word(button: Locator) -> str:
    """Of the two that share its place."""
    return str(button.locator(".at-rest, .on-hover").evaluate_all(SHOWN))


def _visit_word(meet: Meet, star: Person, at_rest: str, offered: str) -> None:
    fan = meet("fan")
    page = fan.page
    fan.visits(star)
    page.get_by_role("button", name=f"Follow @{star.name}", exact=True).click()
    button = page.locator("#main .profile-top .button-following")
    expect(button).to_be_focused()
    assert button.evaluate("it => it.matches(':hover')")
    assert _shown_word(button) == at_rest
    page.get_by_role("heading", level=1).hover()
    assert _shown_word(button) == at_rest
    button.hover()
    assert _shown_word(button) == offered


def test_after_a_click_a_button_says_what_it_did(meet: Meet) -> None:
    star = meet("star")
    _visit_word(meet, star, "Following", "Unfollow")
    star.page.goto("/settings/privacy/")
    star.page.get_by_role("switch", name="Private account").check()
    star.page.get_by_role("button", name="Save").click()
    expect(star.page.get_by_role("switch", name="Private account")).to_be_checked()
    _visit_word(meet, star, "Requested", "Cancel")


def test_without_scripts_a_follow_on_explore_stays_in_place(meet: Meet) -> None:
    fan = meet("fan", java_script_enabled=False, viewport=PHONE)
    page = fan.page
    page.goto("/explore/tags/")
    people = page.get_by_role("region", name="People to follow")
    people.get_by_role("button", name=re.compile("^Follow @")).first.click()
    expect(page).to_have_url(re.compile("/explore/tags/#people$"))
    expect(page.get_by_text(re.compile("You follow @.* now"))).to_be_in_viewport()
    expect(people.get_by_role("heading")).to_be_in_viewport()


def test_somebody_is_dismissed_in_place_until_it_is_undone(meet: Meet) -> None:
    page = meet("picky").page
    page.goto("/explore/people/")
    people = page.get_by_role("region", name="People to follow")
    buttons = people.get_by_role("button", name=re.compile("^Not interested in @"))
    first, second = (str(buttons.nth(it).get_attribute("aria-label")) for it in range(2))
    buttons.first.click()
    expect(people.get_by_role("button", name=first, exact=True)).to_be_hidden()
    expect(people.get_by_role("button", name=second, exact=True)).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(people.get_by_role("button", name=first, exact=True)).to_be_visible()


def test_replies_of_others_appear_on_an_open_thread(meet: Meet) -> None:
    author, reader, stranger = meet("author"), meet("reader"), meet("stranger")
    author.has_posted("Who likes tea?")
    address = author.card("Who likes tea?").locator(".status-time").get_attribute("href") or ""
    visitor = meet("visitor", is_new=True)
    readers = (author, reader, visitor)
    for watching in readers:
        watching.page.clock.install()
        watching.page.goto(address)
        watching.sees("Post by")

    def reply(text: str) -> None:
        stranger.page.goto(address)
        box = stranger.page.get_by_role("textbox", name="Your reply")
        box.fill(text)
        stranger.page.get_by_role("button", name="Reply", exact=True).click()
        expect(stranger.card(text)).to_be_visible()

    reply("I do")
    for watching in readers:
        watching.page.clock.fast_forward(LOOKS_AGAIN_MS)
        expect(watching.card("I do")).to_be_visible()
        expect(watching.page.get_by_text("No replies yet")).to_be_hidden()
    reply("With milk")
    for watching in readers:
        watching.page.clock.fast_forward(LOOKS_AGAIN_MS)
        expect(watching.card("With milk")).to_be_visible()
        texts = watching.page.locator("#replies .status-text")
        expect(texts).to_have_text(["I do", "With milk"])
        watching.page.close()  # for others its clock would be wrong
