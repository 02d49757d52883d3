"""Mails go out in the language of the account that gets them."""

from datetime import UTC, datetime

import pytest
from django.core import mail
from django.utils import timezone, translation

from tests.cast import make_user
from tests.web.bare_words import bare_words
from translating.finding import ROOT
from users import mails
from users.models import EmailChange, User

MOMENT = datetime(2026, 9, 5, 20, 45, tzinfo=UTC)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def mei(db: None) -> User:
    now = timezone.now()
    return make_user("mei", language="zh-hans", email_confirmed_at=now, leaving_at=MOMENT)


def send_all(user: User) -> list[str]:
    """Subjects and texts."""
    change = EmailChange(user=user, email="new@example.com", asked_at=timezone.now())
    mails.send_confirmation(user)
    mails.send_password_reset([user])
    mails.send_email_change(change)
    mails.send_login_notice(user, agent=FIREFOX, address="192.0.2.1", at=MOMENT)
    mails.send_recovery_notice(user, left=7)
    mails.send_good_bye(user)
    mails.send_export_ready(user)
    sent = [f"{it.subject}\n{it.body}" for it in mail.outbox]
    mail.outbox.clear()
    return sent


def test_a_chinese_account_gets_chinese_mails(mei: User) -> None:
    sent = send_all(mei)
    assert len(sent) == 8
    assert all("Socialsite" in text and "你好！" in text for text in sent)
    told = "\n".join(sent)
    assert "Linux 上的 Firefox，来自 192.0.2.1，时间：2026年9月5日 20:45（UTC）" in told
    assert "将于2026年9月5日删除" in told
    assert "Hello" not in told


def test_others_get_the_language_of_the_site_whoever_sends_it(mei: User) -> None:
    mei.language = ""
    with translation.override("zh-hans"):
        sent = send_all(mei)
    assert all("Hello" in text for text in sent)
    assert "Firefox on Linux, from 192.0.2.1, on 5 September 2026, 20:45 UTC" in "\n".join(sent)
    assert not any("你好" in text for text in sent)


def test_no_mail_has_words_that_nobody_can_translate() -> None:
    templates = list((ROOT / "templates" / "users" / "mail").glob("*.txt"))
    assert len(templates) == 8
    assert [bare_words(path) for path in templates] == [[]] * 8
