"""What one of each thing costs, measured here: bytes in Redis and SQL, seconds of processors."""

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

from django.core.management import call_command
from django.db import connection
from django.test import Client

from bench.population import (
    insert_far_away,
    make_author,
    make_follows,
    make_homes,
    make_statuses,
    make_users,
)
from bench.report import FOLDER
from bench.used_memory import UNTIL_NOW, growth_of_memory, unlink
from redistools import loaded_set
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.loaded_set import Loaded
from statuses import store as statuses
from statuses.deeds import like
from statuses.models import Status, status_ids
from statuses.services import post_status
from taskqueue.drain import drain
from timelines import fan_out
from users import store as users
from users.models import User

COMPACT, LARGE = 200, 1_000
DEPTH = 800
COPIES = {0: 3_000, 1: 1_000, COMPACT: 500, LARGE: 100, DEPTH: 300}
ROWS = 2_000
HOMES, FEW, AUDIENCES = 3_000, 16, 60
TIMES = 60
TEXT = "@{name}, a post of a usual length with a #tag, which somebody or other may like"


class Bytes(NamedTuple):
    """In Redis."""

    status: float
    person: float
    empty_set: float
    compact_member: float
    large_member: float
    empty_home: float
    home_entry: float


class Rows(NamedTuple):
    """Bytes in SQL, with indexes."""

    user: float
    follow: float
    status: float


class Seconds(NamedTuple):
    """Of a processor, for one of something: in our process, and in Redis."""

    ours: float
    redis: float

    def by(self, count: int) -> Self:
        return type(self)(self.ours / count, self.redis / count)


class Costs(NamedTuple):
    bytes: Bytes
    rows: Rows
    delivery: Seconds
    """For each follower with a home, beside the cost of the audience."""

    audience: Seconds
    """For each post of somebody with followers, however many."""

    post: Seconds
    deed: Seconds
    page: Seconds
    after_post: Seconds
    """Its tasks: tags, mentions, notifications, what is popular."""

    after_deed: Seconds
    stream_bytes: float
    stream_deliveries: float
    """A second, by one stream process."""


# From docs/benchmarks.md, where no results of `make bench` are at hand.
STREAM_BYTES, STREAM_DELIVERIES = 30_000.0, 300_000.0


def measure_costs() -> Costs:
    insert_far_away()
    measured_bytes, rows = measure_bytes()
    return Costs(
        measured_bytes,
        rows,
        **measure_seconds(),
        stream_bytes=_result("memory", "bytes per stream client", STREAM_BYTES),
        stream_deliveries=_result(
            "stream", "deliveries at saturation, 1,000 clients", STREAM_DELIVERIES
        ),
    )


def measure_bytes() -> tuple[Bytes, Rows]:
    first = make_users(1)[0] + 1
    user_row = _growth_of_sql(partial(make_users, ROWS)) / ROWS
    User.objects.filter(pk__gte=first).update(name="Alice Liddell", bio="Quite a usual bio, it is.")
    edge = partial(make_follows, ROWS, follower=f"{first} + n", followee=f"{first - 1}")
    status = partial(make_statuses, range(first, first + 20), each=ROWS // 20)
    rows = Rows(user_row, _growth_of_sql(edge) / ROWS, _growth_of_sql(status) / ROWS)
    _set_of(0)  # the scripts come first, and Redis' tables grow in steps
    empty, compact, large = (_set_of(size) for size in (0, COMPACT, LARGE))
    short, full = (_home_of(size) for size in (1, DEPTH))
    entry = (full - short) / (DEPTH - 1)
    return Bytes(
        status=_growth(partial(_write_statuses, ROWS)) / ROWS,
        person=_growth(lambda: users.refresh_users(range(first, first + 500))) / 500,
        empty_set=empty,
        compact_member=(compact - empty) / COMPACT,
        large_member=(large - empty) / LARGE,
        empty_home=short - entry,
        home_entry=entry,
    ), rows


def _write_statuses(count: int) -> None:
    statuses.refresh_statuses(list(Status.objects.values_list("pk", flat=True)[:count]))


def _set_of(size: int) -> float:
    first = User.objects.order_by("pk").values_list("pk", flat=True)[0]
    held = Loaded({first + 7 * number: UNTIL_NOW + 4096 * number for number in range(size)})

    names = [f"capacity:{number}" for number in range(COPIES[size])]

    def load() -> None:
        for some in chunks(names, 100):
            loaded_set.load_many(get_client(), some, lambda wanted: dict.fromkeys(wanted, held))

    return _growth(load) / COPIES[size]


def _home_of(size: int) -> float:
    ids = [UNTIL_NOW + 4096 * number for number in range(size)]

    def fill() -> None:
        for number in range(COPIES[size]):
            get_client().lpush(f"capacity:{number}", *ids)
            get_client().expire(f"capacity:{number}", 1_000)

    return _growth(fill) / COPIES[size]


def _growth(work: Callable[[], object]) -> int:
    """What it leaves is removed again."""
    grown = growth_of_memory(work)
    unlink("capacity:*")
    return grown


def _growth_of_sql(work: Callable[[], object]) -> int:
    before = _size_of_sql()
    work()
    return _size_of_sql() - before


def _size_of_sql() -> int:
    with connection.cursor() as cursor:
        found = [cursor.execute(f"PRAGMA {it}").fetchone()[0] for it in ("page_count", "page_size")]
    return int(found[0]) * int(found[1])


def measure_seconds() -> dict[str, Seconds]:
    readers = make_users(HOMES)
    make_homes(readers, depth=DEPTH)
    reader = User.objects.get(pk=readers[0])
    return fan_out_seconds(readers) | write_seconds(reader) | {"page": _spent(_page_of(reader))}


def fan_out_seconds(readers: range) -> dict[str, Seconds]:
    """From two sizes. Many authors, as in life: what one repeats is in the processor's cache."""
    crowd = make_author(readers)
    authors = [make_author(readers[FEW * n : FEW * (n + 1)]) for n in range(AUDIENCES)]
    many, few = _spent(partial(deliver, crowd), 5), _spent(lambda: list(map(deliver, authors)), 3)
    pairs = [(more, less / AUDIENCES) for more, less in zip(many, few, strict=True)]
    delivery = Seconds(*((more - less) / (HOMES - FEW) for more, less in pairs))
    audience = (less - FEW * one for (_, less), one in zip(pairs, delivery, strict=True))
    return {"delivery": delivery, "audience": Seconds(*audience)}


def write_seconds(reader: User) -> dict[str, Seconds]:
    """What a request does, and what its tasks do."""
    author = User.objects.get(pk=make_users(1)[0])
    post = partial(post_status, author=author, text=TEXT.format(name=reader.username))
    found = {"post": _spent(post), "after_post": processor_seconds(drain).by(TIMES)}
    said = list(statuses.find_statuses(author.statuses.values_list("pk", flat=True)).values())
    deeds = iter([partial(like, user=reader, status=status) for status in said])
    found["deed"] = _spent(lambda: next(deeds)(), len(said) - 1)
    return found | {"after_deed": processor_seconds(drain).by(len(said))}


def deliver(author: User) -> None:
    legs = fan_out.all_legs(author)
    fan_out.deliver(legs, status_ids.next(get_client()), budget=10**9)


def _page_of(reader: User) -> Callable[[], object]:
    call_command("collectstatic", interactive=False, verbosity=0)
    browser = Client(headers={"host": "localhost"})
    browser.force_login(reader)

    def read() -> None:
        answer = browser.get("/")
        assert answer.status_code == 200, answer

    return read


def _spent(work: Callable[[], object], times: int = TIMES) -> Seconds:
    work()  # loads what it needs
    return processor_seconds(lambda: [work() for _ in range(times)]).by(times)


def processor_seconds(work: Callable[[], object]) -> Seconds:
    ours, theirs = time.process_time(), redis_seconds()
    work()
    return Seconds(time.process_time() - ours, redis_seconds() - theirs)


def redis_seconds() -> float:
    """What the kernel charged Redis: other work on the machine hardly matters."""
    spent: dict[str, Any] = get_client().info("cpu")
    return float(spent["used_cpu_user"] + spent["used_cpu_sys"])


def _result(name: str, figure: str, otherwise: float) -> float:
    """From the last `make bench`, if there was one."""
    file = FOLDER / f"{name}.json"
    found = json.loads(file.read_text()).get(figure) if file.exists() else None
    return float(found["ours"]) if found else otherwise
