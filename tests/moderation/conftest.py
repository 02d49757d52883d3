import pytest

from moderation.models import Report
from moderation.reporting import report_account, report_status
from staff.roles import Role
from staff.services import give_role
from statuses.models import Status
from statuses.selectors import visible_or_404
from statuses.services import post_status
from tests.cast import make_user
from users.models import User


@pytest.fixture
def mod(transactional_db: None) -> User:
    """A moderator."""
    mod = make_user("mod_ann")
    give_role(user=mod, role=Role.MODERATOR)
    return User.objects.get(pk=mod.pk)


@pytest.fixture
def boss(transactional_db: None) -> User:
    return make_user("boss", is_staff=True, is_superuser=True)


@pytest.fixture
def dave(transactional_db: None) -> User:
    """Who is reported."""
    return make_user("dave", name="Dave the spammer", bio="Buy now!")


@pytest.fixture
def spam(dave: User) -> Status:
    return post_status(author=dave, text="Buy #pills now", language="en")


def complain(
    reporter: User, thing: Status | User, *, category: str = "spam", words: str = ""
) -> Report:
    """A report that is new."""
    if isinstance(thing, User):
        report = report_account(reporter=reporter, account=thing, category=category, words=words)
    else:
        seen = visible_or_404(thing.pk, viewer=reporter)
        report = report_status(reporter=reporter, status=seen, category=category, words=words)
    assert report is not None
    return report
