"""Two people meet, in a browser that runs no JavaScript."""

import re
import uuid

from playwright.sync_api import Browser, Page, expect

from tests.running_site import RunningSite

PASSWORD = "correct horse battery"


def sign_up(browser: Browser, site: RunningSite, username: str) -> Page:
    """A separate phone, on the home page of a newcomer."""
    context = browser.new_context(
        base_url=site.url, viewport={"width": 360, "height": 740}, java_script_enabled=False
    )
    page = context.new_page()
    page.goto("/signup/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("E-mail address").fill(f"{username}@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name=f"Welcome, {username}!")).to_be_visible()
    page.get_by_role("button", name="Skip all of this").click()
    return page


def test_two_people_follow_post_read_and_delete(browser: Browser, site: RunningSite) -> None:
    tag = uuid.uuid4().hex[:8]
    alice, bob = (sign_up(browser, site, f"{name}_{tag}") for name in ("alice", "bob"))

    bob.goto(f"/@alice_{tag}/")
    bob.get_by_role("button", name="Follow").click()
    expect(bob.get_by_role("button", name=re.compile("Following|Unfollow"))).to_be_visible()
    expect(bob.get_by_role("link", name="1 follower")).to_be_visible()

    alice.get_by_label("What's happening?").fill(f"Tea is ready, @bob_{tag}!")
    alice.get_by_role("button", name="Post").click()
    said = alice.get_by_role("article").filter(has_text="Tea is ready")
    expect(said).to_be_visible()

    bob.get_by_role("link", name="Home").click()
    read = bob.get_by_role("article").filter(has_text="Tea is ready")
    expect(read).to_be_visible()
    expect(read.get_by_role("link", name="Delete")).to_have_count(0)
    read.get_by_role("link", name="now").click()
    expect(bob).to_have_title(f"alice_{tag} (@alice_{tag}): Tea is ready, @bob_{tag}! · Socialsite")

    said.get_by_role("link", name="More").click()
    alice.get_by_role("link", name="Delete").click()
    alice.get_by_role("button", name="Delete").click()
    expect(alice.get_by_text("The post is deleted.")).to_be_visible()
    expect(said).to_have_count(0)

    bob.goto("/")
    expect(read).to_have_count(0)
    expect(bob.get_by_role("heading", name="Welcome")).to_be_visible()


def test_somebody_makes_a_list(browser: Browser, site: RunningSite) -> None:
    tag = uuid.uuid4().hex[:8]
    alice = sign_up(browser, site, f"alice_{tag}")
    alice.get_by_label("What's happening?").fill("to myself")
    alice.get_by_role("button", name="Post").click()

    alice.get_by_label("Your account").locator("visible=true").click()
    alice.get_by_role("link", name="Lists").click()
    alice.get_by_label("Name").fill("Tea party")
    alice.get_by_label("Private").check()
    alice.get_by_role("button", name="Create list").click()
    alice.get_by_label("Name or username").fill(f"@alice_{tag}")
    alice.get_by_role("button", name="Find").click()
    alice.get_by_role("button", name=re.compile("^Add .* to the list")).click()
    expect(alice.get_by_text("is in the list.")).to_be_visible()

    alice.get_by_role("link", name="Posts", exact=True).click()
    expect(alice.get_by_role("article").filter(has_text="to myself")).to_be_visible()
