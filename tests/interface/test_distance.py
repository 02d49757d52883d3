"""People who keep to themselves, or keep others away."""

import re

import pytest
from playwright.sync_api import expect

from tests.interface.people import Meet, Person

pytestmark = pytest.mark.long


def _opens_setting(person: Person, name: str) -> None:
    person.goes_to("Settings")
    person.sees("Settings")
    person.page.get_by_role("main").get_by_role("link", name=name).click()


def test_a_private_account_is_asked_and_accepts(meet: Meet) -> None:
    shy, fan = meet("shy"), meet("fan")
    _opens_setting(shy, "Who sees your posts")
    shy.sees("Privacy")
    shy.page.get_by_role("switch", name="Private account").check()
    shy.page.get_by_role("button", name="Save").click()
    shy.sees("Privacy")
    shy.goes_to("Home")
    shy.posts("Only among friends")

    fan.visits(shy)
    shut = fan.page.get_by_role("heading", name=f"Only followers of @{shy.name}")
    expect(shut).to_be_visible()
    expect(fan.card("Only among friends")).to_have_count(0)
    fan.page.get_by_role("button", name=f"Follow @{shy.name}", exact=True).click()
    asked = fan.page.get_by_role("button", name=re.compile("^(Requested|Cancel)"))
    expect(asked).to_be_visible()

    _opens_setting(shy, "Follow requests")
    shy.sees("Follow requests")
    shy.page.get_by_role("button", name=f"Accept @{fan.name}").click()
    expect(shy.page.get_by_role("heading", name="Nobody is waiting")).to_be_visible()

    fan.visits(shy)
    expect(fan.card("Only among friends")).to_be_visible()
    expect(shut).to_have_count(0)
    fan.goes_to("Home")
    expect(fan.card("Only among friends")).to_be_visible()


def test_who_blocks_somebody_is_out_of_sight(meet: Meet) -> None:
    pest, calm = meet("pest", expected="404"), meet("calm")
    pest.has_posted("Buy my boots")
    calm.has_followed(pest)
    calm.goes_to("Home")
    card = calm.card("Buy my boots")
    calm.opens_menu_of(card)
    calm.page.get_by_role("button", name=f"Block @{pest.name}").click()
    expect(card).to_be_hidden()
    calm.visits(pest)
    expect(calm.page.get_by_role("heading", name=f"You blocked @{pest.name}")).to_be_visible()
    expect(card).to_have_count(0)

    pest.page.goto(f"/@{calm.name}/")
    pest.sees("There is nothing here")

    _opens_setting(calm, "Blocked accounts")
    calm.sees("Blocked accounts")
    calm.page.get_by_role("button", name=f"Unblock @{pest.name}").click()
    expect(calm.page.get_by_role("link", name=pest.name)).to_have_count(0)
    calm.visits(pest)
    expect(card).to_be_visible()


def test_posts_with_a_muted_word_do_not_come_up(meet: Meet) -> None:
    fan, reader = meet("fan"), meet("reader")
    fan.has_posted("Football again tonight", "Soup for supper")
    reader.has_followed(fan)
    _opens_setting(reader, "Muted words")
    reader.sees("Muted words")
    reader.page.get_by_label("Word, tag or phrase").fill("football")
    reader.page.get_by_role("button", name="Mute", exact=True).click()
    expect(reader.page.get_by_role("button", name="Unmute football")).to_be_visible()
    reader.watches_home()
    expect(reader.card("Soup for supper")).to_be_visible()
    expect(reader.card("Football again")).to_have_count(0)

    fan.has_posted("FOOTBALL! All night", "Bread for breakfast")
    reader.page.get_by_role("link", name="Show 1 new post").click()
    expect(reader.card("Bread for breakfast")).to_be_visible()
    expect(reader.card("FOOTBALL")).to_have_count(0)


def test_a_post_is_reported(meet: Meet) -> None:
    pest, witness = meet("pest"), meet("witness")
    pest.has_posted("You are all fools")
    witness.visits(pest)
    card = witness.card("You are all fools")
    witness.opens_menu_of(card)
    card.get_by_role("link", name="Report").click()
    witness.sees("Report this post")
    witness.page.get_by_role("radio", name="Abuse or harassment").check()
    witness.page.get_by_label("Anything that moderators should know").fill("To all of us")
    witness.page.get_by_role("button", name="Send report").click()
    witness.sees("Report sent")
    witness.page.get_by_role("link", name="Go back").click()
    witness.sees(re.compile(pest.name))
    pest.goes_to("Notifications")
    pest.sees("Notifications")
    expect(pest.page.get_by_text(re.compile("report", re.IGNORECASE))).to_have_count(0)
