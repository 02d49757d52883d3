"""What does posting cost its author's request, for ten followers or a million?

`post_status` answers when the status is in SQL, in the serving copy, and delivered to the first
thousand followers; the rest is left to workers. None runs here: `fan_out` measures what they cost,
and on a machine with two cores they would interfere.

The longest call of Redis is what its slow log says, in wall time: the median of five runs.
"""

from django.conf import settings

from bench.blocking import longest_calls
from bench.frame import Stage, interleaved, percentile
from bench.population import make_author, make_homes, make_users
from bench.report import Figure, Target
from redistools import keys
from redistools.client import get_client
from statuses.services import post_status
from taskqueue.drain import drain
from timelines import fan_out
from users.models import User

FOLLOWERS = (10, 1_000, 100_000, 1_000_000)
COMPARED_WITH = 1_000
POSTS = 60
DEPTH = 400


def measure(stage: Stage) -> dict[str, Figure]:
    people = make_users(stage.size(FOLLOWERS[-1], least=20))
    authors = {size: make_author(people[: stage.size(size, least=10)]) for size in FOLLOWERS}
    # The followers served during the request; homes for a million would not fit into memory.
    make_homes(people[: stage.size(2 * fan_out.FIRST_DELIVERIES, least=10)], depth=DEPTH)
    figures: dict[str, Figure] = {}
    for pull_threshold in (0, stage.size(100_000, least=10)):
        settings.PULL_THRESHOLD = pull_threshold
        change_modes(authors)
        figures |= compare(authors, posts=stage.size(POSTS, least=2))
    settings.PULL_THRESHOLD = 0
    change_modes(authors)
    return figures | longest_calls(stage)


def change_modes(authors: dict[int, User]) -> None:
    """Each posts once, so that those above the threshold change over."""
    for author in authors.values():
        post_status(author=author, text="hello")
    forget_fan_out()
    drain()
    for author in authors.values():
        author.refresh_from_db()


def forget_fan_out() -> None:
    """Drop what waits for a worker."""
    client = get_client()
    client.delete(*(keys.queue("fan_out", part) for part in ("ready", "delayed")))


def compare(authors: dict[int, User], *, posts: int) -> dict[str, Figure]:
    def post(author: User) -> None:
        post_status(author=author, text="Hello to everybody who follows me, however many you are.")

    works = {str(size): (lambda author=author: post(author)) for size, author in authors.items()}
    taken = interleaved(works, rounds=posts)
    forget_fan_out()
    way = "pulled above 100,000" if settings.PULL_THRESHOLD else "never pulled"
    return {
        f"post_status, {size:,} followers, {way}, p{percent}": Figure(
            1000 * percentile(taken[str(size)], percent),
            1000 * percentile(taken[str(COMPARED_WITH)], percent),
            "ms",
            "the same for an author with 1,000 followers",
            smaller_is_better=True,
            target=Target("at most", 1.2) if (size, percent) == (FOLLOWERS[-1], 50) else None,
        )
        for size in authors
        for percent in (50, 99)
    }
