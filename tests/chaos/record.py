"""What the SQL of a running site says about those who kept it busy."""

import json
from typing import NamedTuple

from tests.running_site import RunningSite

from .ledger import Fact

READ = """
import json
from relations.models import Block, Follow
from statuses.models import Like, Status

posts = dict(Status.objects.filter(text__startswith="chaos ").values_list("id", "text"))
posts = {pk: " ".join(text.split()[:3]) for pk, text in posts.items()}
likes = Like.objects.filter(status__in=posts).values_list("user__username", "status")
boosts = Status.objects.filter(boost_of__in=posts).values_list("author__username", "boost_of")
follows = Follow.objects.values_list("follower__username", "followee__username")
blocks = Block.objects.values_list("blocker__username", "blocked__username")
facts = [["like", who, posts[pk]] for who, pk in likes]
facts += [["boost", who, posts[pk]] for who, pk in boosts]
facts += [["follow", *pair] for pair in follows] + [["block", *pair] for pair in blocks]
print(json.dumps({"posts": list(posts.items()), "facts": facts}))
"""


class Record(NamedTuple):
    posts: dict[int, str]
    facts: set[Fact]


def read_record(site: RunningSite) -> Record:
    shown = site.manage("shell", "-v0", "-c", READ)
    assert shown.returncode == 0, shown.stderr
    read = json.loads(shown.stdout)
    posts = {int(number): str(text) for number, text in read["posts"]}
    facts = {tuple(fact) for fact in read["facts"]} | {("post", text) for text in posts.values()}
    return Record(posts, facts)
