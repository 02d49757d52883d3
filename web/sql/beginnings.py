"""The lookup `begins_with`: like `startswith`, but SQLite uses an index for it. Django's LIKE
ignores case there, and so the index; GLOB does not.
"""

import re
from typing import Any

from django.db.models import CharField
from django.db.models.lookups import StartsWith

_special = re.compile(r"[*?\[]")


class BeginsWith(StartsWith):
    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, parameters = self.process_lhs(compiler, connection)
        pattern = _special.sub(r"[\g<0>]", self.rhs) + "*"
        return f"{column} GLOB %s", [*parameters, pattern]


CharField.register_lookup(BeginsWith, lookup_name="begins_with")
