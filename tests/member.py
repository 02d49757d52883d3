"""Somebody who uses a running site over HTTP."""

import re
import uuid
from typing import Protocol

import httpx

PASSWORD = "correct horse battery"


class HasURL(Protocol):
    url: str


class Member:
    """Somebody with an account and a session."""

    def __init__(self, site: HasURL) -> None:
        self.name = f"alice_{uuid.uuid4().hex[:8]}"
        self.browser = httpx.Client(base_url=site.url, follow_redirects=True, timeout=120)
        form = {"username": self.name, "email": f"{self.name}@example.com", "password": PASSWORD}
        self.browser.post("/signup/", data=form | self._token("/signup/")).raise_for_status()
        self._form = self._token("/")

    def post(self, text: str) -> httpx.Response:
        form = self._form | {"text": text, "idempotency_key": uuid.uuid4().hex}
        return self.browser.post("/statuses/", data=form, follow_redirects=False)

    def sees(self, text: str) -> bool:
        page = self.browser.get(f"/@{self.name}/")
        return page.status_code == 200 and text in page.text

    def _token(self, path: str) -> dict[str, str]:
        page = self.browser.get(path).text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token, page
        return {"csrfmiddlewaretoken": token[1]}
