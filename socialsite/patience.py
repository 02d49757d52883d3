"""How long a process waits for SQL.

A process has few threads for requests: they must not all wait for a database that hangs, or that
others lock. Nobody waits for workers and commands.
"""

# Longer than any page or write should take, waiting for locks included.
REQUEST_SECONDS = 8.0


class Patience:
    seconds: float | None = None


def bound_waits() -> None:
    Patience.seconds = REQUEST_SECONDS


def at_most(seconds: float) -> float:
    return seconds if Patience.seconds is None else min(seconds, Patience.seconds)
