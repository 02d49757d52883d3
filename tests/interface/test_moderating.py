"""A report, from the page where somebody writes it to the answer to an appeal: by keyboard."""

from playwright.sync_api import Page, expect

from tests.interface.community import Community
from tests.interface.people import Meet, Person

REPORTED = "Send me your bank details"
PLEA = "It was a line of a play."


def _moderates(community: Community, who: Person) -> Person:
    made = community.site.manage("role", who.name, "moderator")
    assert made.returncode == 0, made.stderr
    return who


def _reach(page: Page, words: str, *, backwards: bool = False) -> None:
    """Goes on with Tab until what has these words has the focus."""
    name = (
        "() => { const it = document.activeElement; return it.ariaLabel || it.textContent.trim() }"
    )
    for _ in range(80):
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
        if words in page.evaluate(name):
            return
    raise AssertionError(f"The keyboard does not reach “{words}” on {page.url}")


def test_a_report_becomes_a_deletion_and_its_author_appeals(
    meet: Meet, community: Community
) -> None:
    author, follower, reporter = meet("author"), meet("follower"), meet("reporter")
    first, second = (_moderates(community, meet(it)) for it in ("first", "second"))
    follower.has_followed(author)
    author.has_posted(REPORTED)
    follower.watches_home()
    expect(follower.card(REPORTED)).to_be_visible()

    page = reporter.page
    page.goto(f"/@{author.name}/")
    href = reporter.card(REPORTED).locator(".status-time").get_attribute("href") or ""
    page.goto(f"/statuses/{href.split('/')[2]}/report/")
    page.locator("[name=category][value=harm]").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    reporter.sees("Report sent")

    page = first.page
    page.goto("/moderation/")
    first.sees("Queue")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You hold this")).to_be_visible()
    expect(page.locator(".is-reported").get_by_text(REPORTED)).to_be_visible()
    page.keyboard.press("d")
    _reach(page, "Private data")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Reason")).to_be_focused()
    expect(page.get_by_label("Reason")).to_have_value(
        "Your post shows somebody's private data without their consent."
    )
    expect(page.get_by_role("button", name=f"Delete the post of @{author.name}")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text(f"Post deleted: @{author.name}")).to_be_visible()
    expect(follower.card(REPORTED)).to_have_count(0)

    page = author.page
    page.goto("/notifications/")
    _reach(page, "a post of yours")
    page.keyboard.press("Enter")
    author.sees("A decision of the moderators")
    page.get_by_label("Why should we decide differently?").focus()
    page.keyboard.type(PLEA)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("It waits for an answer.")).to_be_visible()

    page = second.page
    page.goto("/moderation/appeals/")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_text(PLEA)).to_be_visible()
    page.keyboard.press("r")
    page.keyboard.press("Tab")
    page.keyboard.type("Plays have no bank details.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("The appeal is answered.")).to_be_visible()

    page = author.page
    page.goto("/notifications/")
    _reach(page, "your appeal")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Plays have no bank details.")).to_be_visible()
