"""The thread around a status, as one viewer sees it."""

import random
from collections.abc import Iterator

import pytest
from django.http import Http404

from redistools import keys
from redistools.client import get_client
from statuses.models import Gap, Status
from statuses.reading.shown import Placeholder
from statuses.services import delete_status, post_status
from statuses.threads import page, reply_tree
from statuses.threads.page import Thread
from tests.statuses.trees import answer, chain, drawn, grow, kind_of, thread
from users.models import User
from users.services import suspend


@pytest.fixture
def root(alice: User) -> Status:
    return post_status(author=alice, text="the beginning")


def test_replies_form_a_tree_the_oldest_first(alice: User, bob: User, root: Status) -> None:
    one = answer(bob, root, "one")
    two = answer(alice, root, "two")
    answer(alice, one, "one one")
    three = answer(bob, two, "two one")
    answer(alice, three, "two one one")
    answer(bob, one, "one two")
    assert drawn(thread(root).replies) == [
        "two",  # with which alice goes on
        *("one", "one two", "-one one"),
        *("two one", "-two one one"),
    ]
    middle = thread(three)
    assert drawn(middle.ancestors) == ["the beginning", "two"]
    assert drawn(middle.replies) == ["two one one"]
    assert (middle.earlier, middle.next_after, middle.under) == (None, None, None)


def test_a_status_without_replies_has_an_empty_thread(root: Status) -> None:
    assert thread(root) == Thread(None, [], None, [], None)


def test_lost_hashes_come_back(alice: User, bob: User, root: Status) -> None:
    reply = answer(bob, root, "reply")
    leaf = answer(alice, reply, "leaf")
    get_client().delete(*keys.statuses([root.pk, reply.pk, leaf.pk]))
    assert drawn(thread(root).replies) == ["reply", "-leaf"]
    assert drawn(thread(leaf).ancestors) == ["the beginning", "reply"]


class Oracle:
    """Draws a thread from everything that SQL knows, the simple way."""

    def __init__(self, hidden: set[int]) -> None:
        self._children: dict[int | None, list[int]] = {}
        self._texts = {it.pk: it.text for it in Status.objects.exclude(author_id__in=hidden)}
        self._authors = dict(Status.objects.values_list("pk", "author_id"))
        self._parents = dict(Status.objects.values_list("pk", "reply_to_id"))
        self._alive = set(self._parents)
        self._parents |= dict(Gap.objects.values_list("pk", "reply_to_id"))
        for child in sorted(self._parents):
            self._children.setdefault(self._parents[child], []).append(child)

    def name(self, status_id: int) -> str:
        return self._texts.get(status_id) or ("hidden" if status_id in self._alive else "gap")

    def below(self, status_id: int, depth: int = 0, own_depth: int = 0) -> Iterator[str]:
        """First how its author goes on, then what others say to that."""
        line = self.own_line(status_id)
        yield from ("-" * own_depth + self.name(part) for part in line[1:])
        for child in (it for part in line for it in self._children.get(part, [])):
            replies = list(self.below(child, depth + 1, depth))
            if child not in line and (child in self._texts or replies):
                yield "-" * depth + self.name(child)
                yield from replies

    def own_line(self, status_id: int) -> list[int]:
        for child in self._children.get(status_id, []):
            if child in self._texts and self._authors[child] == self._authors.get(status_id):
                return [status_id, *self.own_line(child)]
        return [status_id]

    def above(self, status_id: int) -> list[str]:
        parent = self._parents.get(status_id)
        return [] if parent is None else [*self.above(parent), self.name(parent)]


@pytest.mark.parametrize("seed", range(6))
def test_any_thread_is_drawn_as_sql_has_it(
    alice: User, bob: User, carol: User, root: Status, seed: int
) -> None:
    chance = random.Random(seed)
    statuses = [root]
    for number in range(30):
        author, parent = chance.choice((alice, bob, carol)), chance.choice(statuses)
        statuses.append(answer(author, parent, f"number {number}"))
    for status in chance.sample(statuses, 12):
        delete_status(status=status, by=status.author)
    suspend(user=carol)
    oracle = Oracle(hidden={carol.pk})
    for status in Status.objects.exclude(author=carol):
        found = thread(status)
        assert drawn(found.replies) == list(oracle.below(status.pk))
        assert drawn(found.ancestors) == oracle.above(status.pk)


def test_many_replies_come_in_pages(
    alice: User, bob: User, root: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_tree, "PAGE_SIZE", 3)
    replies = [answer(bob, root, f"{number}") for number in range(8)]
    delete_status(status=replies[4], by=bob)
    pages = [thread(root)]
    while (after := pages[-1].next_after) is not None:
        pages.append(thread(root, after=after))
    assert [drawn(it.replies) for it in pages] == [["0", "1", "2"], ["3", "5", "6"], ["7"]]


def test_a_full_last_page_does_not_promise_another(
    bob: User, root: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_tree, "PAGE_SIZE", 3)
    for _ in range(3):
        answer(bob, root)
    assert thread(root).next_after is None


def test_a_page_stays_full_among_the_replies_of_a_suspended_spammer(
    alice: User, bob: User, carol: User, root: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_tree, "PAGE_SIZE", 3)
    grow(carol, root, [None] * 50)
    wanted = [answer(bob, root, f"{number}").text for number in range(4)]
    grow(carol, root, [None] * 50)
    suspend(user=carol)
    first = thread(root)
    assert drawn(first.replies) == wanted[:3]
    last = thread(root, after=first.next_after)
    assert (drawn(last.replies), last.next_after) == (wanted[3:], None)


def test_a_page_looks_only_so_far_and_the_next_goes_on(
    alice: User, bob: User, carol: User, root: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_tree, "ROUNDS", 2)
    monkeypatch.setattr(reply_tree, "PAGE_SIZE", 3)
    spam = grow(carol, root, [None] * 30)
    answer(bob, root, "at last")
    suspend(user=carol)
    pages = [thread(root)]
    while (after := pages[-1].next_after) is not None:
        pages.append(thread(root, after=after))
    assert [drawn(it.replies) for it in pages] == [[], [], ["at last"]]
    assert [it.next_after for it in pages] == [spam[11].pk, spam[23].pk, None]


def test_where_a_branch_is_long_a_link_leads_on(alice: User, bob: User, root: Status) -> None:
    reply = answer(alice, answer(bob, root, "top"), "reply")
    grow(bob, reply, [None] * 20)
    entries = thread(root).replies
    replies = [f"--reply {n}." for n in range(reply_tree.FEW)]
    assert drawn(entries) == ["top", "-reply", *replies, "--more"]
    assert entries[-1].entry == Placeholder("more", reply.pk, "alice")
    assert len(thread(reply).replies) == 20


def test_where_a_branch_is_deep_a_link_leads_on(alice: User, bob: User, root: Status) -> None:
    replies = [root]
    for number in range(reply_tree.LEVELS + 2):
        replies.append(answer((bob, alice)[number % 2], replies[-1], f"reply {number}."))
    del replies[0]
    entries = thread(root).replies
    last = reply_tree.LEVELS - 1
    assert drawn(entries)[-2:] == [f"{'-' * last}reply {last}.", f"{'-' * (last + 1)}deeper"]
    assert [it.indent for it in entries] == [0, 1, 2, 3, 4, 4, 4, 4, 4]
    assert entries[-1].id == replies[last].pk
    assert drawn(thread(replies[last]).replies)[0] == f"reply {last + 1}."


def test_an_authors_own_thread_is_one_line(alice: User, bob: User, root: Status) -> None:
    one = answer(alice, root, "one")
    answer(bob, root, "other")
    two = answer(alice, one, "two")
    answer(bob, one, "to one")
    answer(alice, two, "three")
    entries = thread(root).replies
    assert drawn(entries) == ["one", "two", "three", "other", "to one"]
    assert [it.is_joined for it in entries] == [True, True, False, False, False]
    assert [it.is_continued for it in entries] == [False, True, True, False, False]
    middle = thread(two)
    assert [it.is_continued for it in middle.ancestors] == [False, False]
    assert middle.is_continued
    assert [it.is_continued for it in middle.replies] == [True]


def test_a_long_thread_of_one_author_leads_on_at_its_end(bob: User, root: Status) -> None:
    replies = chain(bob, root, 20)
    entries = thread(root).replies
    last = reply_tree.LEVELS - 1
    assert drawn(entries) == [*(f"reply {n}." for n in range(reply_tree.LEVELS)), "deeper"]
    assert entries[-1].id == replies[last].pk
    assert [it.is_joined for it in entries] == [True] * reply_tree.LEVELS + [False]


def test_what_has_no_page_is_continued_on_that_of_the_status(
    alice: User, bob: User, carol: User, root: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_tree, "FEW", 2)
    monkeypatch.setattr(reply_tree, "PAGE_SIZE", 3)
    gone, hidden = answer(bob, root), answer(carol, root)
    for parent in (gone, hidden):
        grow(bob, parent, [None] * 5)
    Status.objects.filter(pk=gone.pk).update(replies_count=5)
    delete_status(status=gone, by=bob)
    suspend(user=carol)
    few = ["-reply 0.", "-reply 1.", "-more"]
    entries = thread(root).replies
    assert drawn(entries) == ["gap", *few, "hidden", *few]
    ways = [it.entry for it in entries if kind_of(it) == "more"]
    assert ways == [Placeholder("more", gone.pk), Placeholder("more", hidden.pk)]
    for way, kind in zip(ways, ("gap", "hidden"), strict=True):
        first = thread(root, under=way.id)
        assert first.under
        assert kind_of(first.under) == kind
        second = thread(root, under=way.id, after=first.next_after)
        assert drawn(first.replies + second.replies) == [f"reply {n}." for n in range(5)]
        assert second.next_after is None


def test_only_what_belongs_to_a_status_is_shown_below_it(
    alice: User, bob: User, root: Status
) -> None:
    """Else a link could put anybody's words below it."""
    elsewhere = post_status(author=bob, text="another thread")
    foreign = answer(bob, elsewhere, "foreign")
    reply = answer(bob, root, "reply")
    leaf = answer(alice, reply, "leaf")
    assert drawn(thread(root, under=reply.pk).replies) == ["leaf"]
    for under in (foreign.pk, elsewhere.pk, root.pk, 1, 2**53 - 1):
        with pytest.raises(Http404):
            thread(root, under=under)
    with pytest.raises(Http404):
        thread(leaf, under=reply.pk)


def test_above_forty_a_link_leads_to_earlier_ones(
    alice: User, bob: User, carol: User, root: Status
) -> None:
    replies = chain(bob, root, 60)
    newest = thread(replies[-1])
    assert len(newest.ancestors) == page.ANCESTORS
    assert newest.earlier == newest.ancestors[0].status
    assert newest.earlier
    assert newest.earlier.id == replies[19].pk
    top = thread(replies[19])
    assert drawn(top.ancestors) == ["the beginning", *(f"reply {n}." for n in range(19))]
    assert top.earlier is None
    assert len(thread(replies[39]).ancestors) == 40
    assert thread(replies[39]).earlier is None


def test_earlier_ones_are_reached_from_one_that_has_a_page(
    alice: User, bob: User, carol: User, root: Status
) -> None:
    replies = chain(bob, root, 60)
    Status.objects.filter(pk=replies[19].pk).update(author=carol)
    Gap.objects.create(pk=replies[20].pk, reply_to_id=replies[19].pk)
    Status.objects.filter(pk=replies[20].pk).delete()
    suspend(user=carol)
    newest = thread(replies[-1])
    assert newest.earlier
    assert newest.earlier.id == replies[21].pk
    assert newest.ancestors[0].id == replies[21].pk
    assert drawn(thread(replies[21]).ancestors)[-2:] == ["hidden", "gap"]


def test_without_anything_to_show_above_there_is_no_such_link(bob: User, root: Status) -> None:
    replies = chain(bob, root, 60)
    above = replies[:-1]
    Gap.objects.bulk_create(Gap(pk=it.pk, reply_to_id=it.reply_to_id) for it in above)
    Status.objects.filter(pk__in=[it.pk for it in above]).delete()
    newest = thread(replies[-1])
    assert (newest.earlier, newest.ancestors) == (None, [])
