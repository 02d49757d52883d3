from django.test import Client

from statuses.services import post_status
from tests.cast import browser_of, make_user
from users.models import User


def test_visitors_see_what_everybody_says_and_whom_to_follow(
    client: Client, alice: User, carol: User
) -> None:
    post_status(author=alice, text="from the first")
    post_status(author=carol, text="from the second")
    page = client.get("/explore/").content.decode()
    assert page.index("from the second") < page.index("from the first")
    assert "People to follow" in page
    assert "/follow/" not in page


def test_members_are_shown_people_they_do_not_follow(alice: User, bob: User, carol: User) -> None:
    page = browser_of(bob).get("/explore/")
    assert [person.username for person in page.context["people"].shown] == ["carol"]
    assert b'action="/@carol/follow/"' in page.content


def test_those_whom_most_follow_come_first(client: Client, alice: User, carol: User) -> None:
    make_user("dave", followers_count=5)
    usernames = [p.username for p in client.get("/explore/").context["people"].shown]
    assert usernames == ["dave", "carol", "alice"]


def test_suspended_accounts_are_not_shown(client: Client, alice: User) -> None:
    post_status(author=alice, text="something bad")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    page = client.get("/explore/").content.decode()
    assert "something bad" not in page
    assert "alice" not in page


def test_older_pages_go_on_without_the_people(client: Client, alice: User) -> None:
    for n in range(31):
        post_status(author=alice, text=f"number {n}.")
    first = client.get("/explore/")
    assert b"number 0." not in first.content
    second = client.get(f"/explore/?max_id={first.context['page'].older}").content.decode()
    assert "number 0." in second
    assert "People to follow" not in second


def test_an_empty_site_says_what_to_do(client: Client, transactional_db: None) -> None:
    page = client.get("/explore/").content.decode()
    assert "Nobody has said anything yet" in page
    assert "Sign up and be the first" in page


def test_explore_is_only_read(client: Client) -> None:
    assert client.post("/explore/").status_code == 405
