"""One word for one thing, in English and in Chinese."""

import re
from collections.abc import Iterator

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from django.test import Client
from django.utils import translation

from users.models import User
from users.services import what_is_wrong

CATALOG = settings.BASE_DIR / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
PLACEHOLDER = re.compile(r"%\(\w+\)s")


def texts() -> Iterator[tuple[str, str]]:
    """English and Chinese, without what is filled in."""
    with CATALOG.open("rb") as file:
        for message in read_po(file, locale="zh_Hans"):
            pairs = (message.id, message.string or "")
            english, chinese = (it if isinstance(it, str) else " ".join(it) for it in pairs)
            yield PLACEHOLDER.sub("", english), PLACEHOLDER.sub("", chinese)


def test_e_mail_is_spelt_one_way() -> None:
    assert [english for english, _ in texts() if re.search(r"\bemails?\b", english, re.I)] == []


@pytest.mark.parametrize("word", ["管理员", "热门话题", "Email", "电子邮件"])
def test_chinese_uses_the_words_of_the_glossary(word: str) -> None:
    assert [chinese for _, chinese in texts() if word.lower() in chinese.lower()] == []


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["/signup/", "/password-reset/"])
def test_what_is_no_address_is_told_in_our_spelling(page: str) -> None:
    errors = Client().post(page, {"email": "nowhere"}).context["form"].errors
    assert errors["email"] == ["Enter a valid e-mail address."]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "words"),
    [("email", "e-mail address"), ("username", "username"), ("name", "display name")],
)
def test_a_password_is_compared_with_fields_by_their_names(field: str, words: str) -> None:
    user = User(**{field: "wonderland"})
    with translation.override("en"):
        told = [it.messages[0] for it in what_is_wrong(user, "wonderland!")["password"]]
    assert f"The password is too similar to the {words}." in told
