from redistools import keys
from redistools.copies import Hashes
from redistools.serving_copy import SITE, register

from .current import document

register(
    Hashes(
        kind="site",
        label="settings of the site",
        about=SITE,
        names=lambda _site: [keys.site_settings()],
        load=lambda _rows: document.refresh(),
        in_sql=lambda rows: [document.fields() for _ in rows],
    )
)
