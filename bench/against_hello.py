"""Pages over HTTP beside the least that Django can answer."""

from collections.abc import Mapping
from typing import NamedTuple

from django.conf import settings
from django.core.management import call_command

from bench.frame import Stage, median, percentile
from bench.http_load import CONNECTIONS, Load, get, load
from bench.report import Figure, Target
from bench.web import cookies_of, web_server
from users.models import User

ROUNDS, SECONDS = 13, 1.0


class Page(NamedTuple):
    path: str
    reader: User | None
    """None: a visitor."""

    target: Target | None = None


def pages_over_http(stage: Stage, pages: Mapping[str, Page]) -> dict[str, Figure]:
    """Rates and times of each, by the name given to it."""
    call_command("collectstatic", interactive=False, verbosity=0)
    with (
        web_server(stage, "socialsite.settings") as site,
        web_server(stage, "bench.hello") as hello,
    ):
        cookies = {name: _cookies(page) for name, page in pages.items()}
        asked = {name: (site, page.path, cookies[name]) for name, page in pages.items()}
        asked["hello"] = (hello, "/", next(iter(cookies.values())))
        loads = _take_turns(stage, asked)
    return {
        key: figure
        for name, page in pages.items()
        for key, figure in _figures(name, page.target, loads[name], loads["hello"]).items()
    }


def _cookies(page: Page) -> str:
    return cookies_of(page.reader) if page.reader else ""


def _take_turns(stage: Stage, asked: Mapping[str, tuple[int, str, str]]) -> dict[str, list[Load]]:
    """Briefly each: the machine itself is faster or slower for seconds at a time."""
    loads: dict[str, list[Load]] = {name: [] for name in asked}
    seconds = max(0.2, SECONDS * stage.scale)
    for _ in range(stage.size(ROUNDS) + 1):
        for name, (port, path, cookies) in asked.items():
            requests = [[get(path, port=port, cookies=cookies)]] * CONNECTIONS
            loads[name].append(load(port, requests, seconds=seconds))
    return {name: done[1:] for name, done in loads.items()}  # the first warms up


def _figures(
    name: str, target: Target | None, ours: list[Load], hello: list[Load]
) -> dict[str, Figure]:
    baseline = f"Django's hello world, same middleware, {settings.WEB_WORKERS} workers"
    rate, highest = (median([each.rate for each in loads]) for loads in (ours, hello))
    figures = {f"{name} over HTTP": Figure(rate, highest, "requests/s", baseline, target=target)}
    for percent in (50, 99):
        mine, theirs = (
            median([percentile(each.seconds, percent) for each in loads]) for loads in (ours, hello)
        )
        figures[f"{name} over HTTP, {CONNECTIONS} connections, p{percent}"] = Figure(
            1000 * mine, 1000 * theirs, "ms", baseline, smaller_is_better=True
        )
    return figures
