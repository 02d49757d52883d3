"""People come, meet, and talk: what one does, the other sees."""

import re

from playwright.sync_api import expect

from tests.interface.community import Community
from tests.interface.people import FOLLOWED, Meet
from tests.interface.watching import watched
from tests.running_site import wait_for
from tests.windows import Windows

ENDLESS = 100
# A post may come again, boosted by somebody else.
ENTRIES = "all => all.map(it => it.querySelector('[data-boost]')?.dataset.boost ?? it.id)"


def test_a_newcomer_takes_the_first_steps_and_is_heard(meet: Meet) -> None:
    newcomer = meet("newcomer", is_new=True)
    page = newcomer.page
    page.goto("/")
    newcomer.sees("Good company")
    page.get_by_role("link", name="Create an account").click()
    newcomer.sees("Join Socialsite")
    newcomer.fills_in_sign_up()

    newcomer.sees(f"Welcome, {newcomer.name}!")
    page.get_by_label("Display name").fill("Nora Newcomer")
    page.get_by_label("Bio").fill("Just arrived. https://example.com/nora")
    page.get_by_role("button", name="Save and continue").click()
    newcomer.sees("What interests you?")
    page.get_by_role("group", name="Trending tags").get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Follow and continue").click()
    newcomer.sees("Who would you like to follow?")
    people = page.get_by_role("region", name="People to follow")
    expect(people.get_by_text("Posts in English").first).to_be_visible()
    expect(people.get_by_role("link", name="Skip")).to_be_visible()
    expect(people.get_by_role("link", name="Continue")).to_be_hidden()
    people.get_by_role("button", name=re.compile("^Follow @")).first.click()
    expect(people.get_by_role("button", name=re.compile(FOLLOWED))).to_be_visible()
    expect(people.get_by_role("link", name="Skip")).to_be_hidden()
    people.get_by_role("link", name="Continue").click()
    newcomer.sees("Say hello")
    newcomer.posts(f"Hello from {newcomer.name}")
    newcomer.sees("Home")

    follower = meet("follower")
    follower.follows(newcomer)
    expect(follower.card("Hello from")).to_be_visible()
    follower.watches_home()
    expect(follower.card("Hello from")).to_be_visible()

    newcomer.posts("Is somebody there?")
    follower.page.get_by_role("link", name="Show 1 new post").click()
    expect(follower.card("Is somebody there?")).to_be_visible()
    follower.sees("Home")


def test_a_post_is_answered_and_passed_on(meet: Meet) -> None:
    author, reader = meet("author"), meet("reader")
    reader.has_followed(author)
    reader.watches_home()
    author.posts("The kettle is on")
    reader.page.get_by_role("link", name="Show 1 new post").click()
    card = reader.card("The kettle is on")
    expect(reader.page.get_by_text("Your home is empty for now")).to_be_hidden()
    for action in ("Boost", "Like", "Bookmark"):
        button = card.get_by_role("button", name=action)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
    card.get_by_role("link", name="Reply").click()
    dialog = reader.page.get_by_role("dialog", name="Reply")
    dialog.get_by_label("Your reply").fill("Two cups, please")
    dialog.get_by_role("button", name="Reply").click()
    reader.sees("Home")
    expect(reader.card("Two cups, please")).to_be_visible()
    reader.goes_to("Bookmarks")
    reader.sees("Bookmarks")
    expect(reader.card("The kettle is on")).to_be_visible()

    author.goes_to("Notifications")
    author.sees("Notifications")
    told = author.page.get_by_role("main")
    for action in ("followed you", "boosted", "liked", "Two cups, please"):
        expect(told).to_contain_text(re.compile(action))
    author.goes_to("Profile")
    author.sees(re.compile(author.name))
    kettle = author.card("The kettle is on")
    expect(kettle.get_by_role("button", name="Like 1")).to_be_visible()
    expect(kettle.get_by_role("button", name="Boost 1")).to_be_visible()
    expect(kettle.get_by_role("link", name="Reply 1")).to_be_visible()


def test_a_post_is_edited_and_deleted_before_a_readers_eyes(meet: Meet) -> None:
    author, reader = meet("author"), meet("reader")
    reader.has_followed(author)
    reader.watches_home()
    card = author.posts("The train leaves at noon")
    reader.page.get_by_role("link", name="Show 1 new post").click()
    like = reader.card("The train leaves").get_by_role("button", name="Like")
    like.click()

    author.opens_menu_of(card)
    card.get_by_role("link", name="Edit").click()
    author.sees("Edit your post")
    author.page.get_by_label("Your post").fill("The train leaves at one")
    author.page.get_by_role("button", name="Save").click()
    author.sees("Home")
    card = author.card("The train leaves at one")
    card.get_by_role("link", name="edited").click()
    author.sees(re.compile("."))
    expect(author.page.get_by_text("The train leaves at noon")).to_be_visible()

    seen = reader.card("The train leaves at one")
    expect(seen.get_by_role("link", name="edited")).to_be_visible()
    expect(like).to_have_attribute("aria-pressed", "true")
    expect(reader.page.get_by_text("The train leaves at noon")).to_have_count(0)
    author.goes_to("Home")
    author.opens_menu_of(card)
    card.get_by_role("link", name="Delete").click()
    expect(card).to_be_hidden()
    expect(author.page.get_by_text("The post is deleted.")).to_be_visible()
    expect(seen).to_be_hidden()


def test_a_hundred_posts_come_while_one_scrolls(windows: Windows, community: Community) -> None:
    with windows.opened(community.guest) as page, watched(page, community.site) as watch:
        page.goto("/")
        articles = page.get_by_role("article")

        def scroll() -> bool:
            page.mouse.wheel(0, 3000)
            return articles.count() >= ENDLESS

        page.get_by_role("heading", name="Home").hover()
        wait_for(scroll, what=f"{ENDLESS} posts")
        ids = articles.evaluate_all(ENTRIES)
        assert len(set(ids)) == len(ids)
        assert watch.overflow() == []
