from redistools import keys
from redistools.copies import Hashes
from redistools.serving_copy import SITE, register

from .rules.current import document

register(
    Hashes(
        kind="rules",
        label="rules of moderators",
        about=SITE,
        names=lambda _site: [keys.rules()],
        load=lambda _rows: document.refresh(),
        in_sql=lambda rows: [document.fields() for _ in rows],
    )
)
