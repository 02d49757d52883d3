"""Redis dies eight times in a row under load: what is done is not done again, and no mail comes
twice.
"""

import time
from collections import Counter
from pathlib import Path

import pytest

from tests.member import Member
from tests.migrated import copy_database
from tests.running_site import RunningSite, temporary_folder, wait_for

from .load import Load
from .mortal_redis import MortalRedis
from .verdict import differences, repeated_in

DEATHS = 8
SECONDS_BETWEEN = 2.0
NEW_PEOPLE = 5


@pytest.mark.long
@pytest.mark.timeout(400)
def test_deaths_of_redis_start_no_storm(migrated_database: Path) -> None:
    with temporary_folder() as folder, MortalRedis(folder) as redis:
        copy_database(migrated_database, folder)
        site, newcomers = RunningSite(folder, REDIS_URL=redis.url), []
        try:
            site.wait_until_ready()
            newcomers += [Member(site) for _ in range(NEW_PEOPLE)]
            with Load(site.url) as load:
                for _ in range(DEATHS):
                    redis.kill()
                    redis.start()
                    time.sleep(SECONDS_BETWEEN)
                expect_a_mention(*newcomers[:2])
                load.end()
                wait_for(lambda: not differences(site), what="Redis to agree with SQL")
        finally:
            site.stop()
            for member in newcomers:
                member.browser.close()
    assert repeated_in(site) < load.ledger.answers["done"], site.output
    assert mailed_to(newcomers, site) == dict.fromkeys((it.name for it in newcomers), 1)


def expect_a_mention(author: Member, reader: Member) -> None:
    assert author.post(f"@{reader.name} are you there?").status_code == 302
    wait_for(lambda: "are you there?" in reader.browser.get("/notifications/").text)


def mailed_to(members: list[Member], site: RunningSite) -> Counter[str]:
    """How many mails each got; without a mail server, they are printed."""
    return Counter({it.name: site.output.count(f"To: {it.name}@") for it in members})
