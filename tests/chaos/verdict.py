"""What must hold once a site has recovered: nothing answered is lost, nothing deleted is back."""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from urllib.parse import urljoin

from tests.member import Member
from tests.running_site import RunningSite

from .ledger import Fact, Ledger
from .listening import Listening
from .load import Load
from .record import Record
from .regular import posts_on

KINDS = ("post", "like", "boost", "follow", "block")
# Timelines of all kinds.
PAGES = ("/", "/@{name}/", "/explore/newest/", "/tags/chaos/", "/mentions/")
MOST_PAGES = 40
OLDER = re.compile(r'href="([^"]+)" rel="next"')
REPEATED = re.compile(r"Redis is not the one it was: (\d+)|Relayed (\d+) tasks")


def wrong_in_sql(ledger: Ledger, record: Record) -> list[str]:
    """What somebody was told, and SQL does not say."""
    posts = ledger.certain("post")
    certain = [(kind, *it) for kind in KINDS for it in ledger.certain(kind).items()]
    wrong = [
        f"{'lost' if value else 'back'}: {' '.join(fact)}"
        for kind, fact, value in certain
        if value is not (fact in record.facts)
        and not (kind in ("like", "boost") and not posts.get(_post_of(fact)))
    ]
    twice = [text for text, times in Counter(record.posts.values()).items() if times > 1]
    return wrong + [f"twice: {text}" for text in twice]


def _post_of(action: Fact) -> Fact:
    """Likes and boosts go with their post, whose fate may be unknown."""
    return ("post", action[2])


def wrong_on_pages(load: Load, record: Record) -> list[str]:
    """Posts that SQL no longer has, and such of an author that are missing from their profile."""
    wrong = []
    for member in load.members:
        for path in PAGES:
            shown = set(_shown_on(member, path.format(name=member.name)))
            wrong += [
                f"{path} of {member.name} shows deleted {it}" for it in shown - record.posts.keys()
            ]
        mine = {it for it, text in record.posts.items() if text.split()[1] == member.name}
        missing = mine - set(_shown_on(member, f"/@{member.name}/with_replies/"))
        wrong += [f"the profile of {member.name} lacks {it}" for it in missing]
    return wrong


def _shown_on(member: Member, path: str) -> Iterator[int]:
    """The ids on all pages of a timeline."""
    for _ in range(MOST_PAGES):
        page = member.browser.get(path)
        page.raise_for_status()
        yield from (post.id for post in posts_on(page.text))
        older = OLDER.search(page.text)
        if older is None:
            return
        path = urljoin(str(page.url), unescape(older[1]))


def missed_by(listening: Listening, ledger: Ledger, record: Record) -> list[str]:
    """Posts that were answered, and still are there, but did not come."""
    there = {
        fact for fact, value in ledger.certain("post").items() if value and fact in record.facts
    }
    known = listening.heard.keys() | _read_in_gap(listening, record)
    return sorted(text for _, text in there if text not in known)


def _read_in_gap(listening: Listening, record: Record) -> set[str]:
    """What a client reads from the pages where the stream no longer had it."""
    if not listening.gap_until:
        return set()
    shown = _shown_on(listening.member, "/tags/chaos/")
    return {record.posts.get(it, "") for it in shown if it < listening.gap_until}


def differences(site: RunningSite) -> list[str]:
    """Between Redis and SQL. Empty: they agree."""
    checked = site.manage("check_timelines")
    assert checked.returncode in (0, 1), checked.stderr
    return checked.stdout.splitlines() if checked.returncode else []


def repeated_in(site: RunningSite) -> int:
    """How many tasks were handed over once more, by what the workers say."""
    return sum(int(lost or left) for lost, left in REPEATED.findall(site.output))


def assert_nothing_lost(site: RunningSite, load: Load, record: Record) -> None:
    """After the site has recovered."""
    assert wrong_in_sql(load.ledger, record) == []
    assert wrong_on_pages(load, record) == []
    assert load.ledger.codes[500] == 0, site.output
