"""Events on a board, without statuses: what was counted when, and a plain model of the scores."""

from math import log2
from typing import Any

from explore import store
from explore.store import Board
from redistools import keys
from redistools.client import get_client
from redistools.ids import EPOCH_MS, SEQUENCE_BITS
from redistools.scripts import Batch

HOUR = 3600 * 1000
# Some day in 2026.
START = EPOCH_MS + 900 * 24 * HOUR


def event_at(ms: float) -> int:
    """An id that was made then."""
    return int(START + ms - EPOCH_MS) << SEQUENCE_BITS


def like(status_id: int, user_id: int, *, ms: float = 0) -> bool:
    """Did it count?"""
    return post(status_id, "like", user_id, ms=ms)


def post(status_id: int, response: store.Response, user_id: int, *, ms: float = 0) -> bool:
    batch = Batch(get_client())
    store.count_post(batch, status_id, response, user_id=user_id, event_id=event_at(ms))
    return bool(batch.run()[0])


def use_tag(tag: str, user_id: int, *, ms: float = 0) -> bool:
    batch = Batch(get_client())
    event_id = event_at(ms)
    store.count_tag(batch, tag.lower(), written=tag, user_id=user_id, event_id=event_id)
    return bool(batch.run()[0])


def scores(board: Board) -> dict[str, float]:
    """Above that of a single like at the start."""
    client: Any = get_client()
    held = client.zrange(keys.trending(board.name), 0, -1, withscores=True)
    return {item: score - (START - EPOCH_MS) / board.half_life_ms for item, score in held}


def model_score(board: Board, events: list[tuple[float, float]]) -> float:
    """Of events (ms, weight): the logarithm of their decaying sum."""
    return log2(sum(weight * 2 ** (ms / board.half_life_ms) for ms, weight in events))
