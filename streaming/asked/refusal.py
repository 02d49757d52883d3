"""The ways to refuse a request. Each says what was wrong and, if it can, what would be right."""

import math

Headers = list[tuple[bytes, bytes]]


class Refusal(Exception):  # noqa: N818 - reads as what happened
    """Answered with its status and `{"error": message}`."""

    def __init__(self, status: int, message: str, headers: Headers | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or []


def shown(text: str) -> str:
    """What somebody sent, cut short enough to quote."""
    return repr(text if len(text) <= 80 else f"{text[:80]}…")


def bad_request(message: str) -> Refusal:
    return Refusal(400, message)


def unauthorized(message: str) -> Refusal:
    return Refusal(401, message, [(b"www-authenticate", b'Bearer realm="streams"')])


def forbidden(message: str) -> Refusal:
    return Refusal(403, message)


def not_found(path: str) -> Refusal:
    return Refusal(404, f"There is no stream at {path}")


def wrong_method(allowed: str) -> Refusal:
    return Refusal(405, f"Use {allowed} here", [(b"allow", allowed.encode())])


def not_acceptable(message: str) -> Refusal:
    return Refusal(406, message)


def too_slow(seconds: float) -> Refusal:
    return Refusal(408, f"The form did not arrive within {seconds:g} s")


def too_many_values(message: str) -> Refusal:
    return Refusal(413, message)


def too_large(most_bytes: int) -> Refusal:
    return Refusal(413, f"The form has more than {most_bytes} bytes")


def bad_position(message: str) -> Refusal:
    return Refusal(416, message)


def too_often(retry_after: float) -> Refusal:
    seconds = max(1, math.ceil(retry_after))
    headers = [(b"retry-after", str(seconds).encode())]
    return Refusal(420, f"You connect too often: try again in {seconds} s", headers)


def overloaded(message: str) -> Refusal:
    return Refusal(503, message, [(b"retry-after", b"5")])
