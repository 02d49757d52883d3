"""Nobody outside the team learns who reported whom, the reported least of all."""

import json

import pytest

from moderation.models import Kind, Measure, Report
from moderation.services import take
from statuses.models import Status
from statuses.services import post_status
from tests.cast import browser_of, make_user
from tests.moderation.conftest import complain
from tests.redis_keys import contents_of, keys_of_the_test
from users.models import User

REPORTS = "/admin/moderation/report/"
SECRET = "The words of the witness"


@pytest.fixture
def witness(transactional_db: None) -> User:
    return make_user("witness", bio="I saw it")


def pages_of(status: Status) -> list[str]:
    """Everything that the author can open."""
    return [
        *("/", "/explore/", "/@dave/", "/@dave/followers/", "/@dave/following/", "/lists/"),
        *(f"/@dave/{status.pk}/", f"/statuses/{status.pk}/delete/", "/reports/sent/"),
        *("/settings/", "/settings/tokens/", "/settings/password/", "/settings/delete/"),
        f"/statuses/{status.pk}/report/",
        "/@dave/report/",
    ]


def test_the_reported_read_nothing_of_it_anywhere(
    dave: User, spam: Status, witness: User, mod: User
) -> None:
    before = [browser_of(dave).get(address).content for address in pages_of(spam)]
    report = complain(witness, spam, words=SECRET)
    complain(witness, dave, words=SECRET)
    take(Kind.WARN, report, by=mod, reason="No pills, please.")
    take(Kind.MARK_SENSITIVE, spam, by=mod, reason="reported by witness")
    take(Kind.SILENCE, dave, by=mod, reason="reported by witness")
    for address, earlier in zip(pages_of(spam), before, strict=True):
        page = browser_of(dave).get(address).content.decode()
        assert SECRET not in page
        # New accounts are suggested to everybody.
        assert page.count("witness") <= earlier.decode().count("witness"), address


def test_nothing_of_a_report_enters_redis(dave: User, spam: Status, witness: User) -> None:
    complain(witness, spam, words=SECRET)
    held = contents_of(keys_of_the_test("*"))
    assert SECRET not in json.dumps({key: str(value) for key, value in held.items()})


def test_a_moderator_who_is_reported_sees_neither_report_nor_measure(
    mod: User, boss: User, witness: User
) -> None:
    said = post_status(author=mod, text="I was rude")
    reports = [complain(witness, said, words=SECRET), complain(witness, mod, words=SECRET)]
    measure = take(Kind.WARN, reports[0], by=boss, reason="Be kind.")
    browser = browser_of(mod)
    for address in (
        *(REPORTS, f"{REPORTS}?q=mod_ann", "/admin/moderation/measure/"),
        f"/admin/users/user/{mod.pk}/change/",
        f"/admin/statuses/status/{said.pk}/change/",
        *(f"{REPORTS}{it.pk}/change/" for it in reports),
        f"/admin/moderation/measure/{measure.pk}/change/",
        "/admin/",
    ):
        page = browser.get(address, follow=True).content.decode()
        assert SECRET not in page
        assert "witness" not in page
        assert "Take a measure" not in page
    form = {"action": "dismiss", "_selected_action": [reports[1].pk], "confirmed": "yes"}
    browser.post(REPORTS, form | {"seen": "1", "reason": "me"})
    assert Report.objects.get(pk=reports[1].pk).is_open
    assert "witness" in browser_of(boss).get(REPORTS).content.decode()


def test_moderators_learn_who_reported(dave: User, spam: Status, witness: User, mod: User) -> None:
    report = complain(witness, spam, words=SECRET)
    page = browser_of(mod).get(f"{REPORTS}{report.pk}/change/").content.decode()
    assert "@witness" in page
    assert SECRET in page


def test_the_evidence_of_a_measure_names_no_reporter(
    dave: User, spam: Status, witness: User, mod: User
) -> None:
    report = complain(witness, spam)
    take(Kind.DELETE_STATUS, report, by=mod, reason="spam")
    assert "witness" not in json.dumps(Measure.objects.get().evidence)
