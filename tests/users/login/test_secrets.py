"""Neither Redis nor a backup of SQL holds anything that one could log in with."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

import pyotp
import pytest
from django.apps import apps
from django.conf import settings as site
from django.core import mail
from django.test import Client

from taskqueue.drain import drain
from tests.redis_keys import contents_of, keys_of_the_test
from tests.round_trips import RoundTrips, counting_round_trips
from tests.users.conftest import PASSWORD
from users.models import User

pytestmark = pytest.mark.django_db(transaction=True)

NEW_PASSWORD = "eight blue bottles"
LINK = re.compile(rf"^{re.escape(site.SITE_URL)}/(?:confirm|password-reset)\S*/(\S+)/$", re.M)


def everything_in_sql() -> str:
    models = [model for model in apps.get_models() if model._meta.managed]
    return str([list(model._default_manager.values()) for model in models])


def everything_in_redis() -> str:
    return str(contents_of(keys_of_the_test()))


def links() -> list[str]:
    """The secret ends of all links that were mailed."""
    drain()
    found = [link for message in mail.outbox for link in LINK.findall(str(message.body))]
    return [re.split(r"[:/]", link)[-1] for link in found]


def cookies_of(browser: Client) -> Iterator[str]:
    """Of a signed cookie, what signs it."""
    for name in (site.SESSION_COOKIE_NAME, site.CSRF_COOKIE_NAME, "device"):
        if name in browser.cookies:
            yield unquote(browser.cookies[name].value).rpartition(":")[2]


class Life:
    """Does what people do, and collects every secret on the way."""

    def __init__(self) -> None:
        self.browser, self.secrets = Client(), {PASSWORD, NEW_PASSWORD}

    def goes_on(self) -> None:
        """The stores are looked through at every step, since some secrets live for one."""
        self.secrets.update(links(), cookies_of(self.browser))
        held = everything_in_redis() + everything_in_sql()
        assert [hidden for hidden in self.secrets if hidden in held] == []

    def post(self, address: str, **form: str) -> None:
        self.browser.get(address)
        answer = self.browser.post(address, form)
        assert answer.status_code in (200, 302), (address, answer.status_code)
        self.goes_on()

    def signs_up_and_posts(self) -> None:
        self.post("/signup/", username="dora", email="dora@example.com", password=PASSWORD)
        self.post("/statuses/", text="hello")
        self.browser.get("/")
        self.goes_on()

    def makes_a_token(self) -> None:
        self.post("/settings/tokens/", name="bot")
        raw = self.browser.get("/settings/tokens/").context["created"]
        self.secrets.add(raw)
        self.goes_on()

    def resets_the_password(self) -> None:
        self.post("/password-reset/", email="dora@example.com")
        path = re.findall(r"(/password-reset/\S+)", str(mail.outbox[-1].body))[0]
        visitor = Client()
        form = visitor.get(path)["Location"]
        self.secrets.update(cookies_of(visitor))
        visitor.get(form)
        self.goes_on()  # the link is open in a browser: Django keeps it in the session meanwhile
        fields = {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
        assert visitor.post(form, fields).status_code == 302
        self.goes_on()

    def logs_in(self) -> None:
        self.browser = Client()
        self.post("/login/", username="dora", password=NEW_PASSWORD)
        assert self.browser.get("/settings/").status_code == 200

    def uses_a_second_factor(self) -> str:
        """Returns a recovery code."""
        self.post("/settings/two-factor/", password=NEW_PASSWORD)
        page = self.browser.get("/settings/two-factor/set-up/")
        secret = page.context["secret"]
        self.secrets.add(secret)
        self.goes_on()
        form = {"code": pyotp.TOTP(secret).now()}
        codes = self.browser.post("/settings/two-factor/set-up/", form).context["codes"]
        self.secrets.update(codes, (code.replace("-", "") for code in codes))
        self.goes_on()
        self.browser = Client()
        self.post("/login/", username="dora", password=NEW_PASSWORD)
        self.post("/login/code/", code=codes[0])
        assert self.browser.get("/settings/").status_code == 200
        return str(codes[1])

    def changes_the_address(self, code: str) -> None:
        self.post("/settings/email/", email="new@example.com", password=NEW_PASSWORD, code=code)
        assert any("confirm-change" in str(message.body) for message in mail.outbox)
        self.post("/settings/export/")


def sent(trips: RoundTrips) -> str:
    return b"".join(trips.sent).decode("utf-8", "replace")


def test_nothing_in_redis_or_sql_lets_anybody_in() -> None:
    life = Life()
    with counting_round_trips() as trips:
        life.signs_up_and_posts()
        life.makes_a_token()
        life.resets_the_password()
        life.logs_in()
        code = life.uses_a_second_factor()
        life.changes_the_address(code)
    assert len(life.secrets) > 25, "sessions, CSRF secrets, devices, links, codes …"
    # Nor was anything of it sent to Redis in between: to its channels, or to keys that went again.
    assert len(trips) > 50
    assert not [hidden for hidden in life.secrets if hidden in sent(trips)]
    assert User.objects.get().email_confirmed_at


def test_the_test_would_notice(db: None) -> None:
    life = Life()
    life.signs_up_and_posts()
    (key, *_) = cookies_of(life.browser)
    User.objects.update(bio=f"my key is {key}")
    with pytest.raises(AssertionError):
        life.goes_on()
