"""Has the server that we worked with died since we asked?

A server that comes back may have lost its newest moments, and so may a replica that becomes the
master. Both keep writes in order: what is left is all that was written up to some moment. So if a
note that some work is done survives, the work survived too, provided that both were written in one
life of the server.

Ask for the life before the work begins; the script that writes the note compares it with the
server's (`--include redistools/life`). What a process believes costs no round trip until it loses a
connection. If it is out of date, the note is refused, and the work is done again.
"""

from weakref import WeakKeyDictionary

from django.conf import settings
from redis.exceptions import RedisError

from .client import Client, breaker_of
from .scripts import Script

UNKNOWN = ""  # no server's: what is noted with it is refused
ANY = "any"  # for notes that prove nothing
ask_script = Script(__file__, "ask_life")

# By client and key, and how many connections had been lost when we heard of it.
_believed: WeakKeyDictionary[Client, dict[str, tuple[str, int]]] = WeakKeyDictionary()


def believed_life(client: Client, key: str) -> str:
    """Costs a round trip at first, and after a lost connection."""
    life, losses = _believed.get(client, {}).get(key, (UNKNOWN, -1))
    if losses != _losses():
        losses = _losses()
        try:
            life = ask_script(client, [key])
        except RedisError:
            return UNKNOWN
        correct(client, key, life, losses=losses)
    return life


def correct(client: Client, key: str, life: str, *, losses: int | None = None) -> None:
    losses = _losses() if losses is None else losses
    _believed.setdefault(client, {})[key] = (life, losses)


def _losses() -> int:
    return breaker_of(settings.REDIS_URL).losses
