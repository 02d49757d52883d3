"""Does the page of a status stay quick when thousands have answered it?

The whole page, in one process, without a web server. A page shows at most thirty direct replies
and seventy in all: "for each post" says what one of them costs.
"""

from collections.abc import Sequence
from functools import partial
from random import Random

from django.core.management import call_command
from django.test import Client

from bench.frame import Stage, interleaved, median
from bench.population import make_author, make_users
from bench.report import Figure, Target
from redistools.client import get_client
from redistools.ids import time_of
from statuses.models import Status, status_ids
from statuses.services import post_status
from users.models import User

FEW, MANY, DEEP = 10, 10_000, 1_000
ROUNDS = 60
# For each reply, the place of the one that it answers.
Parents = Sequence[int | None]


def measure(stage: Stage) -> dict[str, Figure]:
    call_command("collectstatic", interactive=False, verbosity=0)
    author, reader = (make_author(make_users(10)) for _ in range(2))
    many, deep = stage.size(MANY, least=50), stage.size(DEEP, least=50)
    chain = grow(author, [None, *range(deep - 1)])
    statuses = {
        f"{FEW} replies": grow(author, [None] * FEW)[0],
        f"{many:,} direct replies": grow(author, [None] * many)[0],
        f"{many:,} replies in a tree": grow(author, bush(many))[0],
        f"a chain {deep:,} deep, its first post": chain[0],
        f"a chain {deep:,} deep, its middle": chain[deep // 2],
        f"a chain {deep:,} deep, its last post": chain[-1],
    }
    return compare(browser_of(reader), statuses, rounds=stage.size(ROUNDS, least=3))


def grow(author: User, parents: Parents) -> list[Status]:
    """A status and replies below it. None: they answer the first."""
    root = post_status(author=author, text="the beginning")
    first = status_ids.next(get_client()) + 1
    ids = range(first, first + len(parents))
    rows = [
        Status(
            id=id_,
            author=author,
            text=f"Reply number {place}, about as long as most are, with a #tag in it.",
            reply_to_id=root.pk if parent is None else ids[parent],
            reply_to_author=author,
            thread=root,
            created_at=time_of(id_),
        )
        for place, (id_, parent) in enumerate(zip(ids, parents, strict=True))
    ]
    Status.objects.bulk_create(rows, batch_size=1_000)
    return [root, *rows]


def bush(size: int) -> Parents:
    chance = Random(size)
    return [None, *(chance.choice((None, it // 3, it // 100, it - 1)) for it in range(1, size))]


def browser_of(reader: User) -> Client:
    browser = Client(headers={"host": "localhost"})
    browser.force_login(reader)
    return browser


def compare(browser: Client, statuses: dict[str, Status], *, rounds: int) -> dict[str, Figure]:
    def read(status: Status) -> int:
        """How many posts are on the page."""
        answer = browser.get(f"/@{status.author.username}/{status.pk}/")
        assert answer.status_code == 200
        return int(answer.content.count(b"<article"))

    works = {name: partial(read, status) for name, status in statuses.items()}
    posts = {name: work() for name, work in works.items()}  # loads what Redis does not know yet
    interleaved(works, rounds=2)
    times = {name: 1000 * median(took) for name, took in interleaved(works, rounds=rounds).items()}
    (few, base), *others = times.items()
    figures = {}
    for name, took in others:
        figures[f"page of a thread: {name}"] = Figure(
            *(took, base, "ms", f"a thread of {few}"),
            smaller_is_better=True,
            target=Target("at most", 2.0),
        )
        figures[f"page of a thread, for each post: {name} ({posts[name]} posts)"] = Figure(
            *(
                took / posts[name],
                base / posts[few],
                "ms",
                f"a thread of {few} ({posts[few]} posts)",
            ),
            smaller_is_better=True,
        )
    return figures
