from redistools import keys
from redistools.copies import Hashes
from redistools.serving_copy import SITE, register

from . import store

register(
    Hashes(
        kind="site",
        label="settings of the site",
        about=SITE,
        names=lambda _site: [keys.site_settings()],
        load=lambda _rows: store.refresh(),
        in_sql=lambda rows: [store.fields_of(store.in_sql()) for _ in rows],
    )
)
