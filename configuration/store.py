"""What was chosen for the site, as Redis holds it for all processes.

Beside it stands its version, a digest: a process asks for that alone, and reads the rest only if it
has changed.
"""

import hashlib
import json
from typing import Any, NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from redistools.writing_until_stable import write_until_stable

from .models import SiteSettings

VERSION, CHOSEN = "version", "chosen"
# Then SQL is asked again. A process that died while it wrote an older row is not believed for long.
LIVES_SECONDS = 3600


class Chosen(NamedTuple):
    version: str
    values: dict[str, Any]


def in_sql() -> dict[str, Any]:
    """One query. Without a row, nothing was ever chosen."""
    rows = SiteSettings.objects.filter(pk=SiteSettings.ONLY)
    chosen: dict[str, Any] | None = rows.values_list("chosen", flat=True).first()
    return chosen or {}


def fields_of(values: dict[str, Any]) -> dict[str, str]:
    said = json.dumps(values, sort_keys=True)
    return {VERSION: hashlib.blake2b(said.encode(), digest_size=8).hexdigest(), CHOSEN: said}


def refresh() -> Chosen:
    """Makes Redis say what SQL says. Two queries, one round trip."""
    values = write_until_stable(in_sql, _write)
    return Chosen(fields_of(values)[VERSION], values)


def _write(values: dict[str, Any]) -> None:
    batch = Batch(get_client())
    pairs = (it for pair in fields_of(values).items() for it in pair)
    batch.add("HSET", keys.site_settings(), *pairs)
    batch.add("EXPIRE", keys.site_settings(), LIVES_SECONDS)
    batch.run()


def newer_than(version: str | None) -> Chosen | None:
    """None if that is the current one. One round trip; one more if it is not."""
    if version is not None and _ask(VERSION) == [version]:
        return None
    held, said = _ask(VERSION, CHOSEN)
    try:
        values = json.loads(said or "")
    except ValueError:
        return refresh()  # lost, or nobody has asked yet
    return Chosen(held or "", values) if isinstance(values, dict) else refresh()


def _ask(*names: str) -> list[str | None]:
    batch = Batch(get_client())
    batch.add("HMGET", keys.site_settings(), *names)
    answer: list[str | None] = batch.run()[0]
    return answer
