"""The people of a journey. Each has a browser of their own, which is watched all the time."""

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.interface.community import Community
from tests.interface.watching import Watched, watched

PASSWORD = "correct horse battery"
NARROW: ViewportSize = {"width": 320, "height": 640}
# Under the pointer it offers to undo it.
FOLLOWED = "^(Following|Unfollow)"

expect.set_options(timeout=60_000)

Meet = Callable[..., "Person"]


class Person:
    """Somebody with a name that nobody else has."""

    def __init__(self, name: str, watch: Watched) -> None:
        self.name = name
        self.page: Page = watch.page
        self._watch = watch

    def sees(self, heading: str | re.Pattern[str]) -> None:
        """This page, and nothing of it beyond the edge of a small screen."""
        expect(self.page.get_by_role("heading", level=1, name=heading)).to_be_visible()
        usual = self.page.viewport_size
        assert usual is not None
        self.page.set_viewport_size(NARROW)
        assert self._watch.overflow() == [], self.page.url
        self.page.set_viewport_size(usual)

    def goes_to(self, name: str) -> None:
        self.page.get_by_role("navigation", name="Main").get_by_role("link", name=name).click()

    def watches_home(self) -> None:
        """Until the stream is open: what others post from now on is announced."""
        with self.page.expect_response("**/streaming/home"):
            self.goes_to("Home")
        self.sees("Home")

    def visits(self, other: "Person") -> None:
        self.page.goto(f"/@{other.name}/")
        self.sees(re.compile("post"))

    def follows(self, other: "Person") -> None:
        self.visits(other)
        self.page.get_by_role("button", name=f"Follow @{other.name}", exact=True).click()
        followed = re.compile(rf"{FOLLOWED} @{other.name}")
        expect(self.page.get_by_role("button", name=followed)).to_be_visible()

    def posts(self, text: str) -> Locator:
        self.page.get_by_label("What's happening?").fill(text)
        self.page.get_by_role("button", name="Post", exact=True).click()
        card = self.card(text)
        expect(card).to_be_visible()
        return card

    def card(self, text: str) -> Locator:
        return self.page.get_by_role("article").filter(has_text=text)

    def opens_menu_of(self, card: Locator) -> None:
        card.get_by_role("link", name="More").click()

    def fills_in_sign_up(self) -> None:
        self.page.get_by_label("Username").fill(self.name)
        self.page.get_by_label("E-mail address").fill(f"{self.name}@example.com")
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Create account").click()


@contextmanager
def meeting(browser: Browser, community: Community) -> Iterator[Meet]:
    """Gives a function that brings people in: members, or with `is_new` people who just came."""
    with ExitStack() as stack:

        def meet(name: str, *, is_new: bool = False, expected: str = "", **options: Any) -> Person:
            context = stack.enter_context(community.visitor(browser, **options))
            watch = stack.enter_context(watched(context, community.site, expected))
            person = Person(f"{name}_{uuid.uuid4().hex[:6]}", watch)
            if not is_new:
                cookies = _sign_up(community.url, person.name)
                for it, value in cookies.items():
                    context.add_cookies([{"name": it, "value": value, "url": community.url}])
                person.page.goto("/")
            return person

        yield meet


def _sign_up(url: str, name: str) -> dict[str, str]:
    """Without a browser: what it shows then is a journey of its own."""
    about = {"username": name, "email": f"{name}@example.com", "password": PASSWORD}
    with httpx.Client(base_url=url, headers={"Origin": url}, timeout=60) as client:
        for address, fields in (("/signup/", about), ("/welcome/dismiss/", {})):
            page = client.get("/signup/" if fields else "/welcome/post/").text
            token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
            answer = client.post(address, data=fields | {"csrfmiddlewaretoken": token})
            assert answer.status_code == 302, answer.text
        return dict(client.cookies)
