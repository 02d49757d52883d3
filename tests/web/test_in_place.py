"""What scripts get instead of pages."""

import pytest
from django.test import Client

from statuses.models import Status
from statuses.services import post_status
from users.models import User

IN_PLACE = {"HX-Request": "true"}


@pytest.fixture
def status(alice: User) -> Status:
    return post_status(author=alice, text="Hello")


@pytest.fixture
def bobs(client: Client, bob: User) -> Client:
    client.force_login(bob)
    return client


def test_a_like_in_place_needs_no_other_page(bobs: Client, status: Status) -> None:
    answer = bobs.post(f"/statuses/{status.pk}/like/", headers=IN_PLACE)
    assert (answer.status_code, answer.content) == (200, b"")
    assert b"aria-pressed=true" in bobs.get(f"/@alice/{status.pk}/").content


@pytest.mark.django_db
def test_a_refusal_says_why_in_a_line(bobs: Client) -> None:
    answer = bobs.post("/statuses/12345/like/", headers=IN_PLACE)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.headers["HX-Reswap"] == "none"
    assert answer.content.decode() == "This is no longer here."
    assert "text/html" in bobs.post("/statuses/12345/like/").headers["Content-Type"]


def test_a_follow_answers_with_the_other_button(client: Client, alice: User, carol: User) -> None:
    client.force_login(carol)
    answer = client.post("/@alice/follow/", headers=IN_PLACE)
    assert 'action="/@alice/unfollow/"' in answer.content.decode()
    answer = client.post("/@alice/unfollow/", headers=IN_PLACE)
    assert 'action="/@alice/follow/"' in answer.content.decode()


def test_a_tag_is_followed_in_place(bobs: Client) -> None:
    answer = bobs.post("/tags/django/follow/", headers=IN_PLACE)
    assert 'action="/tags/django/unfollow/"' in answer.content.decode()


def test_a_post_in_place_answers_with_an_empty_form_and_the_status(bobs: Client) -> None:
    answer = bobs.post("/statuses/", {"text": "Here I am", "next": "/"}, headers=IN_PLACE)
    html = answer.content.decode()
    posted = Status.objects.get(text="Here I am")
    assert f'id="status-{posted.pk}"' in html
    assert "<html" not in html
    assert "Here I am</textarea>" not in html


def test_a_refused_post_in_place_answers_with_the_form(bobs: Client) -> None:
    answer = bobs.post("/statuses/", {"text": "x" * 501}, headers=IN_PLACE)
    html = answer.content.decode()
    assert answer.status_code == 400
    assert "<html" not in html
    assert "at most 500 characters" in html
    assert 'data-draft="post"' in html
