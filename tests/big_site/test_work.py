"""What every page and write asks the database on a big site: none reads a big table through.
`test_admin.py` has the pages of the admin.

Redis is empty at first, so that what it lacks is read from SQL too.
"""

from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from explore.people import popular
from explore.people.services import dismiss
from explore.people.working_out import work_out
from relations.services import follow, unfollow
from statuses.models import Status
from statuses.reactions import services as reactions
from statuses.removing.removal import remove_belongings
from statuses.services import delete_status, post_status
from statuses.store import find_statuses
from tags.services import follow_tag
from tests.big_site.site import BigSite
from tests.big_site.work import BIG, watched
from tests.cast import browser_of
from timelines.collecting import first_in_sql
from timelines.selectors import home, home_in_sql, members_in_sql, posts_in_sql
from users.models import User
from users.services import delete_account

# To make the site takes a minute.
pytestmark = [pytest.mark.long, pytest.mark.django_db, pytest.mark.timeout(600)]

PAGES = [
    "/",
    "/?max_id={middle}",
    "/?min_id={middle}",
    "/explore/",
    "/explore/tags/",
    "/explore/people/",
    "/explore/newest/",
    "/explore/newest/?lang=en",
    "/explore/newest/?max_id={middle}",
    "/?order=important",
    "/@{author}/",
    "/@{author}/with_replies/",
    "/@{author}/likes/",
    "/bookmarks/",
    "/mentions/",
    "/tags/",
    "/tags/tag5/",
    "/notifications/",
    "/@{author}/{status}/likes/",
    "/@{author}/{status}/boosts/",
    "/@{author}/?max_id={middle}",
    "/@{popular}/followers/",
    "/@{author}/following/",
    "/@{author}/{status}/",
    "/lists/",
    "/lists/{list}/",
    "/lists/{list}/?max_id={middle}",
    "/lists/{list}/?min_id={middle}",
    "/lists/{list}/members/",
    "/search/?q=u777&tab=people",
    "/search/?q=@u77777&tab=people",
    "/search/?q=%23tag&tab=tags",
    "/search/?q=tea",
    "/search/?q=tea+-cake&tab=top",
    "/search/?q=tea+min_likes:1+filter:follows",
    "/search/?q=tea+from:me",
    "/search/?q=tea+in:bookmarks&max_id={middle}",
    "/complete/?q=@u77",
    "/complete/?q=%23tag",
    "/aside/",
    "/@{author}/lists/",
    "/welcome/people/",
]


@pytest.mark.parametrize("address", PAGES)
def test_pages(big_site: BigSite, address: str) -> None:
    look_at(browser_of(big_site.reader), address, big_site)


def test_explore_for_visitors(big_site: BigSite) -> None:
    look_at(Client(), "/explore/", big_site)


def look_at(browser: Client, address: str, site: BigSite) -> None:
    author = site.oldest.author.username
    with watched() as work:
        page = browser.get(
            address.format(
                middle=site.middle.pk,
                author=author,
                popular=site.popular.username,
                status=site.oldest.pk,
                list=site.list_.pk,
            )
        )
    assert page.status_code == 200
    assert work.statements
    assert work.found == []


def test_timelines_beyond_what_redis_holds(big_site: BigSite) -> None:
    sources = [
        home_in_sql(big_site.reader.pk),
        home_in_sql(big_site.ids[7]),  # who follows three
        posts_in_sql(big_site.ids[7]),
    ]
    with watched() as work:
        for rows in sources:
            visible = rows.visible_to(big_site.reader).between(below=big_site.middle.pk)
            assert len(visible.newest_first().values_list("id", flat=True)[:5]) == 5
            assert len(visible.order_by("id").values_list("id", flat=True)[:5]) == 5
        of_the_list = Status.objects.in_timelines().visible_to(big_site.reader)
        for rows in (of_the_list.newest_first(), of_the_list.order_by("id")):
            members = members_in_sql(big_site.list_.pk)
            assert len(first_in_sql(rows, members, limit=5)) == 5
    assert work.found == []


def post_and_delete(site: BigSite) -> None:
    status = post_status(author=site.reader, text="Hello @u77, about #tag5")
    delete_status(status=status, by=site.reader)


def answer(site: BigSite) -> None:
    [stored] = find_statuses([site.oldest.pk]).values()
    post_status(author=site.reader, text="Yes.", reply_to=stored.id)


def like_and_unlike(site: BigSite) -> None:
    [stored] = find_statuses([site.oldest.pk]).values()
    reactions.like(user=site.reader, status=stored)
    reactions.boost(user=site.reader, status=stored)
    reactions.unlike(user=site.reader, status_id=stored.id)
    reactions.unboost(user=site.reader, status_id=stored.id)


def follow_and_unfollow(site: BigSite) -> None:
    follow(follower=site.reader, followee=site.popular)
    unfollow(follower=site.reader, followee=site.popular)


def suggest(site: BigSite) -> None:
    follow_tag(user=site.reader, name="tag5")
    dismiss(user=site.reader, person=site.popular)
    popular.look_on(0)
    work_out(site.reader, ["en", "zh"])


def clean_up(site: BigSite) -> None:
    remove_belongings(site.oldest.pk)


def leave(site: BigSite) -> None:
    delete_account(user=User.objects.get(pk=site.ids[77]))


WRITES = [post_and_delete, answer, like_and_unlike, follow_and_unfollow, suggest, clean_up, leave]


@pytest.mark.parametrize("write", WRITES)
def test_writes(
    big_site: BigSite,
    write: Callable[[BigSite], None],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with watched() as work, django_capture_on_commit_callbacks(execute=True):
        write(big_site)
    assert work.statements
    assert work.found == []


def test_the_tables_are_big(big_site: BigSite) -> None:
    """And a statement that reads one of them through is noticed."""
    assert "statuses_status" in BIG
    with watched() as work:
        assert Status.objects.filter(text="not there").count() == 0
        assert User.objects.filter(bio="not there").first() is None
        assert home(big_site.reader)
    assert len(work.found) == 2
