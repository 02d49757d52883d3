"""Has the server that we worked with died meanwhile?

A server that comes back may have lost its newest moments, and so may a replica that becomes the
master. But both keep writes in their order: what is left is all that was written up to some moment.
So if a note survives that says that some work is done, the work survived too, provided that both
were written in one life of the server. A note that was written after a restart proves nothing.

So whoever takes such a note asks for the life before the work begins, and the script that writes
the note compares it with that of the server: `--include redistools/life`. What a process believes
costs no round trip until it loses a connection. If it is out of date, the note is refused, which is
safe: work that is not noted is done again.
"""

from weakref import WeakKeyDictionary

from redis.exceptions import RedisError

from .client import Client
from .outages.retry import Losses
from .scripts import Script

UNKNOWN = ""
"""No server's: what is noted with it is refused."""

ANY = "any"
"""For notes that prove nothing."""

ask_script = Script(__file__, "ask_life")

_believed: WeakKeyDictionary[Client, dict[str, tuple[str, int]]] = WeakKeyDictionary()
"""By client and key, and how many connections had been lost when we heard of it."""


def believed_life(client: Client, key: str) -> str:
    """Of the server with this key, as far as we know. The first call in a process, and the first
    after a connection was lost, costs a round trip.
    """
    life, losses = _believed.get(client, {}).get(key, (UNKNOWN, -1))
    if losses != Losses.count:
        losses = Losses.count
        try:
            life = ask_script(client, [key])
        except RedisError:
            return UNKNOWN
        correct(client, key, life, losses=losses)
    return life


def correct(client: Client, key: str, life: str, *, losses: int | None = None) -> None:
    """What a script said that compared it."""
    losses = Losses.count if losses is None else losses
    _believed.setdefault(client, {})[key] = (life, losses)
