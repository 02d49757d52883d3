"""A suspension in one process, seen by all the others."""

import uuid

from tests import patient_http
from tests.running_site import RunningSite

SCENE = """
from lists.services import add_to_list, create_list
from relations.services import follow
from statuses.services import post_status
from users.services import sign_up

def join(username):
    return sign_up(username=username, email="x@example.com", password="correct horse battery")

reader, spammer = join({reader!r}), join({spammer!r})
follow(follower=reader, followee=spammer)
list_ = create_list(owner=reader, name="Reading")
add_to_list(list_=list_, user=spammer)
post_status(author=spammer, text="buy now")
post_status(author=reader, text="who is @{spammer}?")
print(list_.pk)
"""
CHANGE = """
from users.models import User
from users.services import {verb}
assert {verb}(user=User.objects.get(username={spammer!r}))
"""
# More than there are web processes, each on its own connection.
READS = 6


def test_no_web_process_shows_a_suspended_account_a_moment_later(site: RunningSite) -> None:
    mark = uuid.uuid4().hex[:8]
    names = {"reader": f"reader_{mark}", "spammer": f"spammer_{mark}"}
    list_id = site.run(SCENE.format(**names))
    link = f'href="/@{names["spammer"]}/"'
    pages = [f"/@{names['reader']}/following/", f"/@{names['reader']}/", f"/lists/{list_id}/"]

    def shown() -> list[bool]:
        return [link in patient_http.get(site.url + page).text for page in pages * READS]

    assert all(shown())
    site.run(CHANGE.format(verb="suspend", **names))
    assert not any(shown())
    site.run(CHANGE.format(verb="restore", **names))
    assert all(shown())
