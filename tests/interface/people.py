"""The people of a journey. Each has a browser of their own, which is watched all the time."""

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import Any

import httpx
from playwright.sync_api import BrowserContext, Locator, Page, ViewportSize, expect

from tests.interface.community import Community, client_of, token_on
from tests.interface.watching import Watched, watched
from tests.windows import Windows, set_cookies

PASSWORD = "correct horse battery"
NARROW: ViewportSize = {"width": 320, "height": 640}
# Under the pointer it offers to undo it.
FOLLOWED = "^(Following|Unfollow)"

Meet = Callable[..., "Person"]


class Person:
    """Somebody with a name that nobody else has. Their browser opens when a test first looks."""

    def __init__(self, name: str, open_page: Callable[[], Watched], client: httpx.Client) -> None:
        self.name = name
        self._open_page = open_page
        self._client = client

    def logs_in_to(self, context: BrowserContext) -> None:
        set_cookies(context, self._client.cookies, str(self._client.base_url))

    @cached_property
    def _watch(self) -> Watched:
        return self._open_page()

    @property
    def page(self) -> Page:
        return self._watch.page

    def has_posted(self, *texts: str) -> None:
        """Without a browser: for what others see of it."""
        for text in texts:
            self._send("/statuses/", text=text, idempotency_key=uuid.uuid4().hex)

    def has_followed(self, other: "Person") -> None:
        """Without a browser: before the story begins."""
        self._send(f"/@{other.name}/follow/")

    def has_signed_up(self) -> None:
        """Without a browser: what it shows then is a journey of its own."""
        about = {"email": f"{self.name}@example.com", "password": PASSWORD}
        self._send("/signup/", username=self.name, **about)
        del self._token  # a session has another
        self._send("/welcome/dismiss/")

    def _send(self, address: str, **fields: str) -> None:
        answer = self._client.post(address, data=fields | self._token)
        assert answer.status_code == 302, answer.text

    @cached_property
    def _token(self) -> dict[str, str]:
        """From any page with a form: one of them is for visitors."""
        return token_on(self._client, "/compose/" if self._client.cookies else "/signup/")

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
def meeting(windows: Windows, community: Community) -> Iterator[Meet]:
    """Gives a function that brings people in: members, or with `is_new` people who just came."""
    with ExitStack() as stack:

        def meet(
            name: str,
            *,
            is_new: bool = False,
            expected: str = "",
            jumps_at: str = "",
            **options: Any,
        ) -> Person:
            def open_page() -> Watched:
                page = stack.enter_context(windows.opened(**options))
                watching = watched(page, community.site, expected=expected, jumps_at=jumps_at)
                watch = stack.enter_context(watching)
                if not is_new:
                    person.logs_in_to(page.context)
                    page.goto("/")
                return watch

            client = stack.enter_context(client_of(community.url))
            person = Person(f"{name}_{uuid.uuid4().hex[:6]}", open_page, client)
            if not is_new:
                person.has_signed_up()
            return person

        yield meet
