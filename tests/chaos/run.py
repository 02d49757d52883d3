"""One run: a busy site whose processes are killed, then what is left of it."""

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.migrated import copy_database
from tests.running_site import RunningSite, temporary_folder

from .killing import Killing
from .listening import Listening
from .load import Load
from .mortal_redis import MortalRedis
from .record import Record, read_record
from .verdict import differences, missed_by, wrong_in_sql, wrong_on_pages

# Often half a minute; on a busy machine it takes longer to work off what is repeated.
RECOVERY_SECONDS = 120.0


@dataclass
class Outcome:
    """Empty lists are good."""

    answered: int
    unanswered: int
    kills: Counter[str]
    errors: int
    longest_gap: float
    recovered_after: float = 0.0
    lost: list[str] = field(default_factory=list)
    on_pages: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    queue: str = ""
    """What the workers have yet to do."""

    @property
    def findings(self) -> list[str]:
        missed = [f"not in the stream: {text}" for text in self.missed]
        return [*self.lost, *self.on_pages, *self.differences, *missed]

    @property
    def is_good(self) -> bool:
        return not self.findings and self.errors == 0

    def __str__(self) -> str:
        kills = ", ".join(f"{name} {times}" for name, times in sorted(self.kills.items()))
        return (
            f"{self.answered} requests answered, {self.unanswered} not; kills: {kills}; "
            f"{len(self.lost)} lost or back in SQL, {len(self.on_pages)} wrong on pages, "
            f"{len(self.differences)} differences, {len(self.missed)} missed by the stream, "
            f"{self.errors} errors 500; longest gap {self.longest_gap:.1f} s; "
            f"recovered after {self.recovered_after:.0f} s{self.queue}"
        )


def threshold(seed: int) -> str:
    """With an odd seed, authors cross the threshold all the time, in both directions."""
    return "3" if seed % 2 else "100000"


def run(*, seed: int, seconds: float, database: Path | None = None) -> Outcome:
    """`database`: a migrated one, which is copied."""
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        if database is not None:
            copy_database(database, folder)
        redis_folder = folder / "redis"
        redis_folder.mkdir()
        redis = stack.enter_context(MortalRedis(redis_folder))
        site = RunningSite(folder, REDIS_URL=redis.url, PULL_THRESHOLD=threshold(seed))
        stack.callback(site.stop)
        site.wait_until_ready()
        load = Load(site.url, seed=seed)
        listening = stack.enter_context(Listening([site.stream_url], load.bystander))
        stack.enter_context(load)
        killing = Killing(site, redis, seed=seed, seconds=seconds)
        killing.run()
        load.end()
        return judge(site, load, listening, killing.kills)


def judge(
    site: RunningSite,
    load: Load,
    listening: Listening,
    kills: Counter[str],
    *,
    seconds: float = RECOVERY_SECONDS,
) -> Outcome:
    """Once all is well, or after the time that it may take."""
    answers = load.ledger.answers
    outcome = Outcome(
        answered=answers["done"],
        unanswered=answers["broken"] + answers["late"],
        kills=kills,
        errors=load.ledger.codes[500],
        longest_gap=load.ledger.longest_gap(),
    )
    began = time.monotonic()
    while True:
        look(outcome, site, load, listening, read_record(site))
        outcome.recovered_after = time.monotonic() - began
        if outcome.is_good:
            return outcome
        if outcome.recovered_after > seconds:
            outcome.queue = f"\n{site.manage('queue_stats').stdout}"
            return outcome


def look(
    outcome: Outcome, site: RunningSite, load: Load, listening: Listening, record: Record
) -> None:
    """What people read comes first: nothing is repaired by a look at the pages alone."""
    outcome.lost = wrong_in_sql(load.ledger, record)
    outcome.differences = differences(site) if site.is_healthy() else ["the site is not healthy"]
    outcome.missed = missed_by(listening, load.ledger, record)
    outcome.on_pages = [] if outcome.differences else wrong_on_pages(load, record)
