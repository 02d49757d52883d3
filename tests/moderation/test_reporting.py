"""What members tell the moderators, and what is kept of it."""

from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client

from moderation.models import Kind, Report
from moderation.reporting import report_account, report_status
from moderation.services import take
from relations.blocks_and_mutes.services import block
from relations.services import follow
from statuses import services as statuses
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.selectors import visible_or_404
from statuses.services import delete_status, edit_status, post_status
from statuses.stored import StoredStatus
from tests.cast import browser_of, clicks, make_user
from tests.moderation.conftest import complain
from tests.races import in_threads
from users import throttling
from users.audience import Visibility
from users.models import AccountGone, User
from users.services import delete_account, suspend
from web.refusals import Refusal

SPAM = {"category": "spam", "words": "He sells pills."}


def address_of(status: Status) -> str:
    return f"/statuses/{status.pk}/report/"


def test_a_member_reports_a_post_and_is_thanked(alice: User, dave: User, spam: Status) -> None:
    browser = browser_of(alice)
    page = browser.get(f"{address_of(spam)}?next=/explore/").content.decode()
    assert "Report this post" in page
    assert "Buy" in page
    assert "@dave won't learn of it" in page
    answer = browser.post(address_of(spam), SPAM | {"next": "/explore/"})
    assert answer["Location"] == "/reports/sent/?account=dave&next=%2Fexplore%2F"
    thanks = browser.get(answer["Location"]).content.decode()
    assert "Thank you for your report" in thanks
    assert "A moderator will look at it" in thanks
    assert 'href="/explore/"' in thanks
    report = Report.objects.get()
    assert (report.reporter, report.account, report.status_id) == (alice, dave, spam.pk)
    assert (report.category, report.words, report.is_open) == ("spam", "He sells pills.", True)


def test_a_member_reports_an_account(alice: User, dave: User) -> None:
    browser = browser_of(alice)
    assert "Report @dave" in browser.get("/@DAVE/report/", follow=True).content.decode()
    assert browser.post("/@dave/report/", SPAM).status_code == 302
    report = Report.objects.get()
    assert (report.account, report.status_id) == (dave, None)
    assert report.evidence["bio"] == "Buy now!"
    assert report.evidence["address"] == "http://localhost:8000/@dave/"


def test_the_buttons_are_there_for_others_only(alice: User, dave: User, spam: Status) -> None:
    hers, his = browser_of(alice), browser_of(dave)
    menu = f"/@dave/{spam.pk}/menu/"
    assert f'href="{address_of(spam)}' in hers.get(menu).content.decode()
    assert 'href="/@dave/report/"' in hers.get("/@dave/").content.decode()
    for address in (menu, "/explore/", "/@dave/"):
        for page in (his.get(address), Client().get(address)):
            assert "Report" not in page.content.decode()
        assert "Moderate" not in hers.get(address).content.decode()


def test_visitors_log_in_first(dave: User, spam: Status) -> None:
    for address in (address_of(spam), "/@dave/report/"):
        for ask in (Client().get, Client().post):
            assert ask(address)["Location"] == f"/login/?next={quote(address)}"
    assert not Report.objects.exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "This field is required."),
        ({"category": "boredom"}, "Select a valid choice."),
        ({"category": ["spam", "abuse", "x"]}, "Select a valid choice."),
        ({"category": "other", "words": " \n "}, "Say what is wrong."),
        ({"category": "spam", "words": "x" * 1001}, "at most 1000 characters"),
        ({"category": "spam", "words": "evil \u202e text"}, "U+202E"),
        ({"category": "spam", "words": "nul \x00"}, "Null characters are not allowed"),
        ({"category": "spam", "words": "bell \x07"}, "U+0007"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(
    alice: User, spam: Status, fields: dict[str, str], message: str
) -> None:
    answer = browser_of(alice).post(address_of(spam), fields)
    assert answer.status_code == 400
    assert message in answer.content.decode()
    assert not Report.objects.exists()


def test_words_of_a_thousand_characters_and_new_lines_fit(alice: User, spam: Status) -> None:
    words = "\r\n".join(["x" * 499, "y" * 500])
    assert browser_of(alice).post(address_of(spam), SPAM | {"words": words}).status_code == 302
    assert len(Report.objects.get().words) == 1000


def test_markup_in_a_report_stays_text(alice: User, spam: Status, boss: User) -> None:
    complain(alice, spam, words="<script>alert(1)</script>")
    report = Report.objects.get()
    page = browser_of(boss).get(f"/admin/moderation/report/{report.pk}/change/").content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def test_only_what_one_sees_can_be_reported(alice: User, carol: User, dave: User) -> None:
    private = post_status(author=dave, text="for friends", visibility=Visibility.FOLLOWERS)
    blocked = post_status(author=carol, text="not for alice")
    block(blocker=carol, blocked=alice)
    browser = browser_of(alice)
    for address in (address_of(private), address_of(blocked), "/statuses/1/report/"):
        assert browser.get(address).status_code == 404
        assert browser.post(address, SPAM).status_code == 404
    follow(follower=alice, followee=dave)
    assert browser.post(address_of(private), SPAM).status_code == 302
    suspend(user=dave)
    assert browser.post(address_of(private), SPAM).status_code == 404
    assert browser.post("/@dave/report/", SPAM).status_code == 404
    assert browser.post("/@nobody_/report/", SPAM).status_code == 404
    assert Report.objects.count() == 1


def test_nobody_reports_themselves(dave: User, spam: Status) -> None:
    for address in (address_of(spam), "/@dave/report/"):
        for ask in (browser_of(dave).get, browser_of(dave).post):
            answer = ask(address)
            assert answer.status_code == 400
            assert "You can&#x27;t report yourself." in answer.content.decode()
    seen = visible_or_404(spam.pk, viewer=dave)
    with pytest.raises(Refusal):
        report_status(reporter=dave, status=seen, category="spam", words="")
    with pytest.raises(Refusal):
        report_account(reporter=dave, account=dave, category="spam", words="")


def test_a_boost_is_reported_as_what_it_boosts(alice: User, bob: User, spam: Status) -> None:
    boost(user=bob, status=visible_or_404(spam.pk, viewer=bob))
    entry = Status.objects.get(author=bob)
    assert browser_of(alice).post(address_of(entry), SPAM).status_code == 302
    assert Report.objects.get().status_id == spam.pk


def test_the_same_again_adds_nothing_while_the_first_is_open(
    alice: User, bob: User, dave: User, spam: Status, mod: User
) -> None:
    browser = browser_of(alice)
    for _ in range(2):
        assert browser.post(address_of(spam), SPAM).status_code == 302
        assert browser.post("/@dave/report/", SPAM).status_code == 302
    assert Report.objects.count() == 2
    complain(bob, spam)
    for report in Report.objects.filter(reporter=alice):
        take(Kind.DISMISS, report, by=mod)
    assert complain(alice, spam).is_open
    assert complain(alice, dave).is_open


def test_a_double_click_reports_once(alice: User, dave: User, spam: Status) -> None:
    for address in (address_of(spam), "/@dave/report/"):
        assert clicks([browser_of(alice) for _ in range(2)], address, SPAM) == [302, 302]
    assert Report.objects.count() == 2


def test_a_few_reports_an_hour_are_enough(
    alice: User, dave: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttling.PACES, "report", throttling.Pace(10, per_minute=5))
    said = [post_status(author=dave, text=f"spam {number}") for number in range(6)]
    browser = browser_of(alice)
    codes = [browser.post(address_of(status), SPAM).status_code for status in said]
    assert codes == [302] * 5 + [429]
    assert Report.objects.count() == 5
    assert browser.get(address_of(said[5])).status_code == 200


def test_a_report_keeps_what_was_said_after_an_edit(alice: User, dave: User, spam: Status) -> None:
    edit_status(status=spam, by=dave, text="Buy harmless tea", warning="tea")
    report = complain(alice, spam)
    edit_status(status=spam, by=dave, text="I like cake")
    delete_status(status=spam, by=dave)
    kept = Report.objects.get(pk=report.pk).evidence
    assert (kept["text"], kept["warning"]) == ("Buy harmless tea", "tea")
    assert [version["text"] for version in kept["versions"]] == ["Buy #pills now"]
    assert (kept["username"], kept["name"]) == ("dave", "Dave the spammer")
    assert kept["posted_at"] == spam.created_at.isoformat(timespec="seconds")
    assert kept["address"].endswith(f"/@dave/{spam.pk}/")
    assert kept["visibility"] == "Public"


def test_only_the_newest_versions_are_kept(
    alice: User, dave: User, spam: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moderation.evidence.MOST_VERSIONS", 2)
    for text in ("one", "two", "three"):
        edit_status(status=spam, by=dave, text=text)
    kept = complain(alice, spam).evidence
    assert [version["text"] for version in kept["versions"]] == ["one", "two"]


def test_a_report_outlives_accounts_and_posts(alice: User, dave: User, spam: Status) -> None:
    for report in (complain(alice, spam), complain(alice, dave)):
        assert report.is_open
    delete_account(user=dave)
    assert not Status.objects.exists()
    reports = Report.objects.order_by("pk")
    assert [(it.account, it.username, it.status_id) for it in reports] == [
        (None, "dave", spam.pk),
        (None, "dave", None),
    ]
    assert reports[0].evidence["text"] == "Buy #pills now"
    delete_account(user=alice)
    for report in Report.objects.all():
        assert report.reporter is None
        assert "alice" not in str(vars(report))


def test_what_is_deleted_meanwhile_is_refused_kindly(
    alice: User, dave: User, spam: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(status_id: int, *, viewer: User) -> StoredStatus:
        seen = visible_or_404(status_id, viewer=viewer)
        statuses.delete_status(status=spam, by=dave)
        return seen

    monkeypatch.setattr("moderation.views.visible_or_404", late)
    answer = browser_of(alice).post(address_of(spam), SPAM)
    assert answer.status_code == 400
    assert "This post has been deleted." in answer.content.decode()


def test_accounts_that_go_meanwhile_are_noticed(alice: User, bob: User, dave: User) -> None:
    gone = User.objects.get(pk=bob.pk)
    delete_account(user=bob)
    with pytest.raises(AccountGone):
        report_account(reporter=gone, account=dave, category="spam", words="")
    with pytest.raises(Refusal, match="no longer exists"):
        report_account(reporter=alice, account=gone, category="spam", words="")


def test_many_report_the_same_at_once(dave: User, spam: Status) -> None:
    crowd = [make_user(f"witness{number}") for number in range(6)]
    seen = visible_or_404(spam.pk, viewer=crowd[0])
    waiting = list(crowd)

    def report() -> bool:
        try:
            return bool(
                report_status(reporter=waiting.pop(), status=seen, category="spam", words="")
            )
        finally:
            connection.close()

    assert in_threads(6, report) == [True] * 6
    assert Report.objects.filter(status=spam.pk).count() == 6


def test_a_report_without_its_token_does_nothing(alice: User, spam: Status) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    assert browser.post(address_of(spam), SPAM).status_code == 403
    assert browser_of(alice).put(address_of(spam)).status_code == 405
    assert not Report.objects.exists()


def test_nobody_is_sent_to_another_site(alice: User, spam: Status) -> None:
    answer = browser_of(alice).post(address_of(spam), SPAM | {"next": "https://evil.example/"})
    assert "evil" not in answer["Location"]
    page = browser_of(alice).get("/reports/sent/?next=//evil.example/").content.decode()
    assert "evil" not in page
