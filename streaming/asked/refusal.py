"""The ways to refuse a stream. Each says what was wrong and, if it can, what would be right."""

import math
from functools import partial

from web.refusals import Refusal

Headers = list[tuple[bytes, bytes]]

REALM = {"WWW-Authenticate": 'Bearer realm="streams"'}

bad_request = partial(Refusal, code="bad_request")
unauthorized = partial(Refusal, code="unauthorized", status=401, headers=REALM)
forbidden = partial(Refusal, code="forbidden", status=403)
not_acceptable = partial(Refusal, code="not_acceptable", status=406)
too_many_values = partial(Refusal, code="too_large", status=413)
bad_position = partial(Refusal, code="position", status=416)


def headers_of(refusal: Refusal) -> Headers:
    return [(name.lower().encode(), value.encode()) for name, value in refusal.headers.items()]


def shown(text: str) -> str:
    """Cuts what a client sent short enough to quote."""
    return repr(text if len(text) <= 80 else f"{text[:80]}…")


def not_found(path: str) -> Refusal:
    return Refusal(f"There is no stream at {path}", code="not_found", status=404)


def wrong_method(allowed: str) -> Refusal:
    headers = {"Allow": allowed}
    return Refusal(f"Use {allowed} here", code="method", status=405, headers=headers)


def too_slow(seconds: float) -> Refusal:
    return Refusal(f"The form did not arrive within {seconds:g} s", code="too_slow", status=408)


def too_large(most_bytes: int) -> Refusal:
    return Refusal(f"The form has more than {most_bytes} bytes", code="too_large", status=413)


def too_often(retry_after: float) -> Refusal:
    seconds = max(1, math.ceil(retry_after))
    words = f"You connect too often: try again in {seconds} s"
    return Refusal(words, code="too_often", status=420, retry_after=seconds)


def failed() -> Refusal:
    words = "Something went wrong here: it is in the server's log"
    return Refusal(words, code="failed", status=500)
