"""Writing to loaded sets. Unknown ones are left alone: their next reader loads them."""

from collections.abc import Iterable

from ..scripts import Argument, Batch, Script

# Trimming only occasionally halves the work of a write.
SLACK = 32

_put = Script(__file__, "loaded_set_put")
_drop = Script(__file__, "loaded_set_drop")
_write_pair = Script(__file__, "loaded_set_pair")


def put(batch: Batch, key: str, member: int, score: int, *, cap: int) -> None:
    """Add a member, if the set is known, and keep the `cap` highest. Atomic, O(log n)."""
    batch.call(_put, [key], put_arguments(member, score, cap=cap))


def put_arguments(member: int, score: int, *, cap: int) -> list[Argument]:
    """For scripts that call `put_in_set` themselves."""
    return [score, member, cap, SLACK]


def most(cap: int) -> int:
    """How many members a set may have if `put` keeps it to `cap`."""
    return cap + SLACK


def drop(batch: Batch, key: str, members: Iterable[int]) -> None:
    """Remove members, if the set is known. Atomic, O(log n) for each."""
    batch.call(_drop, [key], [*members])


def write_pair(
    batch: Batch, one: tuple[str, int], other: tuple[str, int], *, score: int | None
) -> None:
    """Puts a member into two sets of one slot, or, with None, takes it out of both. Atomic."""
    batch.call(_write_pair, [one[0], other[0]], [one[1], other[1], score or ""])
