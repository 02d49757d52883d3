"""How many bytes do the serving copy and a stream client take, beside the book's structures?"""

from collections.abc import Callable

from bench import book, whole_user
from bench.frame import Stage
from bench.population import make_author, make_reader, make_statuses, make_users
from bench.report import Figure
from bench.stream_load import crowd
from bench.stream_servers import Server, make_token, our_server, threaded_server
from bench.used_memory import growth_of_memory
from redistools.chunks import chunks
from redistools.client import get_client
from relations import store as edges
from relations.models import Follow
from statuses import store as statuses
from statuses.models import Status
from timelines import selectors

AUTHORS, STATUSES_EACH = 200, 100
READERS = 200
FOLLOWERS = 10_000
STREAM_CLIENTS = 300


def measure(stage: Stage) -> dict[str, Figure]:
    get_client().config_set("appendonly", "no")
    # First: it looks at all statuses there are.
    whole = whole_user.measure(stage)
    authors = make_users(stage.size(AUTHORS, least=5))
    make_statuses(authors, each=STATUSES_EACH)
    return (
        whole
        | per_status(authors)
        | per_home_entry(stage, authors)
        | per_edge(stage)
        | per_stream_client(stage)
    )


def per_status(authors: range) -> dict[str, Figure]:
    ids = list(Status.objects.values_list("id", flat=True))

    def ours() -> None:
        statuses.ensure_profiles(authors)
        for some in chunks(ids, 500):
            statuses.refresh_statuses(some)

    return _figure("status", len(ids), ours, book.write_statuses)


def per_home_entry(stage: Stage, authors: range) -> dict[str, Figure]:
    readers = [make_reader(authors) for _ in range(stage.size(READERS, least=3))]
    for reader in readers:
        edges.ensure_following(reader.pk)
    ids = list(Status.objects.newest_first().values_list("id", flat=True)[:800])

    def ours() -> None:
        for reader in readers:
            selectors.home(reader)

    def by_the_book() -> None:
        for reader in readers:
            get_client().zadd(book.home(reader.pk), {str(each): each for each in ids})

    return _figure("home entry", len(readers) * len(ids), ours, by_the_book)


def per_edge(stage: Stage) -> dict[str, Figure]:
    """Both sides of a follow, with an author whom many follow."""
    followers = make_users(stage.size(FOLLOWERS, least=50))
    author_ids: list[int] = []

    def ours() -> None:
        author_ids.append(make_author(followers).pk)
        for follower_id in followers:
            edges.ensure_following(follower_id)

    def by_the_book() -> None:
        rows = Follow.objects.filter(followee_id=author_ids[0]).values_list("follower_id", "id")
        for some in chunks(rows.iterator(), 1_000):
            pipeline = get_client().pipeline(transaction=False)
            for follower_id, follow_id in some:
                pipeline.zadd(book.followers(author_ids[0]), {str(follower_id): follow_id})
                pipeline.zadd(book.following(follower_id), {str(author_ids[0]): follow_id})
            pipeline.execute()

    return _figure("follow, both sides", len(followers), ours, by_the_book)


def per_stream_client(stage: Stage) -> dict[str, Figure]:
    """How much the server's process grows, without what Redis keeps for its subscriptions."""
    queries = ["percent=100"] * stage.size(STREAM_CLIENTS, least=20)
    with our_server(stage, make_token()) as ours:
        mine = growth_by_clients(ours, queries)
    with threaded_server(stage) as threads:
        theirs = growth_by_clients(threads, queries)
    name = "a thread and a subscription for each client, as in the book"
    return {"bytes per stream client": Figure(mine, theirs, "bytes", name, True)}


def growth_by_clients(server: Server, queries: list[str]) -> float:
    before = server.memory
    with crowd(server.port, server.token, queries):
        return (server.memory - before) / len(queries)


def _figure(
    what: str, count: int, ours: Callable[[], None], by_the_book: Callable[[], None]
) -> dict[str, Figure]:
    mine, theirs = (growth_of_memory(work) / count for work in (ours, by_the_book))
    return {f"bytes per {what}": Figure(mine, theirs, "bytes", "the book's structures", True)}
