"""What was measured and what follows from it, as tables for `docs/capacity.md`."""

from collections.abc import Iterable, Sequence

from bench import machine
from bench.capacity.community import Check
from bench.capacity.costs import Costs, Seconds
from bench.capacity.habits import PEAK, Habits
from bench.capacity.model import Needs
from bench.report import written

MICRO = 1e6


def page(costs: Costs, checks: Sequence[Check], sites: Sequence[Needs], habits: Habits) -> str:
    parts = [
        f"Measured on {machine.description()}.",
        "### What a site needs",
        sizes(sites),
        "### The model beside a measured run",
        agreement(checks),
        "### What one of each costs",
        unit_costs(costs),
        "### What we assume",
        assumptions(habits),
    ]
    return "\n\n".join(parts) + "\n"


def sizes(sites: Sequence[Needs]) -> str:
    rows: list[tuple[str, ...]] = [
        ("memory of Redis", *(_bytes(it.redis_bytes) for it in sites)),
        ("nodes of Redis", *(f"{it.redis_nodes:,}" for it in sites)),
        ("`PARTITIONS`, at least", *(f"{it.partitions:,}" for it in sites)),
        ("web processes", *(f"{it.web_processes:,}" for it in sites)),
        ("worker processes", *(f"{it.worker_processes:,}" for it in sites)),
        ("stream processes", *(f"{it.stream_processes:,}" for it in sites)),
        ("SQL after a year", *(_bytes(it.sql_bytes) for it in sites)),
        ("pages a second, at the peak", *(written(it.load.pages) for it in sites)),
        ("posts a second", *(written(it.load.posts) for it in sites)),
        ("deliveries a second", *(written(it.load.deliveries) for it in sites)),
        ("open streams", *(f"{it.load.streams:,.0f}" for it in sites)),
        ("lag of the largest pushed fan-out", *(_seconds(it.lag) for it in sites)),
    ]
    return table(("", *(f"{it.users:,} accounts" for it in sites)), rows)


def agreement(checks: Iterable[Check]) -> str:
    rows = [
        (
            it.what,
            f"{written(it.predicted)} {it.unit}",
            f"{written(it.measured)} {it.unit}",
            f"{it.deviation:+.0%}",
        )
        for it in checks
    ]
    return table(("", "predicted", "measured", "off by"), rows)


def unit_costs(costs: Costs) -> str:
    held, rows = costs.bytes, costs.rows
    return table(
        ("what", "cost"),
        [
            ("a status", f"{held.status:.0f} bytes of Redis, {rows.status:.0f} of SQL"),
            ("a person", f"{held.person:.0f} bytes of Redis, {rows.user:.0f} of SQL"),
            ("an empty set", f"{held.empty_set:.0f} bytes"),
            ("a member of a set of up to 255", f"{held.compact_member:.1f} bytes"),
            ("a member of a larger set", f"{held.large_member:.0f} bytes"),
            (
                "an entry of a home",
                f"{held.home_entry:.1f} bytes, and {held.empty_home:.0f} for it",
            ),
            ("a follow", f"{rows.follow:.0f} bytes of SQL, and a member of two sets"),
            ("a page", _spent(costs.page)),
            ("a post", _spent(costs.post)),
            ("its tasks", _spent(costs.after_post)),
            ("a like", _spent(costs.deed)),
            ("its tasks", _spent(costs.after_deed)),
            ("a fan-out", _spent(costs.audience)),
            ("each delivery", _spent(costs.delivery)),
            ("an open stream", f"{costs.stream_bytes:,.0f} bytes of its process"),
        ],
    )


def assumptions(habits: Habits) -> str:
    return table(
        ("what", "how much"),
        [
            ("accounts that come within a month", f"{habits.monthly:.0%}"),
            ("accounts that come on a day", f"{habits.daily:.0%}"),
            ("follows of one who comes within a month, on average", f"{habits.follows:g}"),
            ("of one who comes on a day: posts", f"{habits.posts:g}"),
            ("likes, bookmarks and follows", f"{habits.deeds:g}"),
            ("pages", f"{habits.pages:g}"),
            ("open pages at the busiest moment", f"{habits.streams:.0%}"),
            ("the busiest hour, by the average one", f"{PEAK:.1f}"),
            ("older statuses in Redis, by those of the last days", f"{habits.read_again:.0%}"),
        ],
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *("--:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _spent(cost: Seconds) -> str:
    ours, redis = (written(MICRO * it) for it in cost)
    return f"{ours} µs of our process, {redis} of Redis"


def _bytes(count: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9)):
        if count >= size:
            return f"{written(count / size)} {unit}"
    return f"{written(count / 1e6)} MB"


def _seconds(count: float) -> str:
    return f"{1e3 * count:.0f} ms" if count < 1 else f"{count:.1f} s"
