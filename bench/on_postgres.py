"""A benchmark once more, on a PostgreSQL that it starts."""

import importlib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from bench import frame
from bench.report import Figure

NAME = "bench"


def on_postgres(
    module: str, work: str, scale: float, *, redis_url: str | None = None
) -> dict[str, Figure]:
    """What the function `work` of the module measures there, with this Redis or a new one: in a
    process of its own, since Django knows one database in each. Nothing, where no PostgreSQL is
    installed.
    """
    from tests import postgres

    if not postgres.is_installed():
        print("PostgreSQL is not installed, so nothing is measured on it.", flush=True)
        return {}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measured, module, work, scale, redis_url).result()


def _measured(module: str, work: str, scale: float, redis_url: str | None) -> dict[str, Figure]:
    from tests import postgres

    with postgres.running_postgres(postgres.OPTIONS):
        postgres.create_database(NAME)
        stores = frame.stage(scale, redis_url=redis_url, database_url=postgres.url_of(NAME))
        with stores as stage:
            figures: dict[str, Figure] = getattr(importlib.import_module(module), work)(stage)
    return figures
