"""A member who does one thing after another at random, and goes on after every error."""

import random
import re
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import httpx

from tests.member import Member

from .ledger import Answer, Fact, Ledger

SHOWN = re.compile(r'id="status-(\d+)"(?:(?!id="status-).)*?(chaos \w+ \d+)\b', re.DOTALL)
PAGES = ("/", "/explore/newest/", "/@{name}/", "/tags/chaos/")


class Post(NamedTuple):
    id: int
    text: str

    @property
    def author(self) -> str:
        return self.text.split()[1]


@dataclass
class Address:
    url: str


class Regular(Member):
    """Acts in one thread. `pair_lock` keeps others from what concerns the same two people."""

    def __init__(
        self,
        urls: Sequence[str],
        ledger: Ledger,
        dice: random.Random,
        pair_lock: Callable[[str, str], threading.Lock],
    ) -> None:
        super().__init__(Address(urls[0]))
        self._urls, self._ledger, self._dice, self._pair_lock = urls, ledger, dice, pair_lock
        self._others: list[str] = []
        self._seen: dict[str, Post] = {}
        self._posted = 0

    def meet(self, others: Sequence[str]) -> None:
        self._others = [name for name in others if name != self.name]

    def act(self) -> None:
        actions = [
            self.write,
            self.read,
            self.like,
            self.boost,
            self.follow,
            self.block,
            self.delete,
        ]
        self._dice.choices(actions, weights=[4, 4, 5, 2, 5, 2, 2])[0]()

    def write(self) -> None:
        """A client that got no answer sends the same form once more."""
        self._posted += 1
        text = f"chaos {self.name} {self._posted}"
        named = self._dice.choice(["", f" @{self._dice.choice(self._others)}"])
        form = {"text": f"{text}{named} #chaos", "idempotency_key": uuid.uuid4().hex}
        if self._dice.random() < 0.3 and (answered := self._some_post(lambda _: True)):
            form["reply_to"] = str(answered.id)
        for _ in range(2):
            if self._send({("post", text): True}, "/statuses/", form) in ("done", "refused"):
                break

    def read(self) -> None:
        path = self._dice.choice(PAGES).format(name=self.name)
        try:
            page = self.browser.get(self._dice.choice(self._urls) + path)
        except httpx.TransportError:
            return
        self._ledger.note_code(page.status_code)
        self._seen |= {post.text: post for post in posts_on(page.text)}

    def like(self) -> None:
        self._do("like")

    def boost(self) -> None:
        self._do("boost")

    def delete(self) -> None:
        if post := self._some_post(lambda post: post.author == self.name):
            self._send({("post", post.text): False}, f"/statuses/{post.id}/delete/")
            self._seen.pop(post.text, None)

    def follow(self) -> None:
        other = self._dice.choice(self._others)
        with self._pair_lock(self.name, other):
            fact = ("follow", self.name, other)
            follows = self._ledger.is_true(fact)
            self._send({fact: not follows}, f"/@{other}/{'un' if follows else ''}follow/")

    def block(self) -> None:
        """Ends what one follows of the other. Blocks are short, or nobody would be left."""
        other = self._dice.choice(self._others)
        follows: dict[Fact, bool] = {
            ("follow", self.name, other): False,
            ("follow", other, self.name): False,
        }
        fact = ("block", self.name, other)
        with self._pair_lock(self.name, other):
            if not self._ledger.is_true(fact):
                self._send({fact: True} | follows, f"/@{other}/block/")
            if self._dice.random() < 0.8:
                self._send({fact: False}, f"/@{other}/unblock/")

    def _do(self, action: str) -> None:
        """Or undo it."""
        if post := self._some_post(lambda post: post.author != self.name):
            fact = (action, self.name, post.text)
            is_done = self._ledger.is_true(fact)
            self._send({fact: not is_done}, f"/statuses/{post.id}/{'un' * bool(is_done)}{action}/")

    def _some_post(self, is_right: Callable[[Post], bool]) -> Post | None:
        posts = [post for post in self._seen.values() if is_right(post)]
        return self._dice.choice(posts) if posts else None

    def _send(
        self, wanted: dict[Fact, bool], path: str, form: dict[str, str] | None = None
    ) -> Answer:
        url = self._dice.choice(self._urls) + path
        return self._ledger.change(wanted, lambda: self._post(url, form or {}))

    def _post(self, url: str, form: dict[str, str]) -> Answer:
        try:
            answer = self.browser.post(url, data=self._form | form, follow_redirects=False)
        except httpx.TimeoutException:
            return "late"
        except httpx.TransportError:
            return "broken"
        self._ledger.note_code(answer.status_code)
        if answer.status_code >= 500:
            return "broken"
        is_done = answer.status_code < 400 and "/login/" not in answer.headers.get("Location", "")
        return "done" if is_done else "refused"


def posts_on(page: str) -> list[Post]:
    return [Post(int(number), text) for number, text in SHOWN.findall(page)]
