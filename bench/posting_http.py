"""How many posts does a site take over HTTP, on SQLite and on PostgreSQL?

As a browser sends them: session, form, rate limit, SQL, Redis, redirect; a worker does what follows
on the same machine. Both databases write each post to the disk before it is answered.
"""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from bench.frame import Stage, median, percentile
from bench.http_load import Load, get, load, post
from bench.on_postgres import on_postgres
from bench.population import make_author, make_users
from bench.report import Figure, Target
from bench.web import cookies_of, web_server
from timelines import selectors
from users.models import User

# And the least that posts must reach of the cheapest page.
CONNECTIONS = {8: 0.15, 50: 0.12}
# Enough of them that nobody reaches the limit of posts a minute.
AUTHORS, FOLLOWERS = 400, 10
# One for each connection, for briefer loads.
FEWEST_AUTHORS = max(CONNECTIONS)
TEXT = "About as long as most are, with a #tag and a word to @{name}, as one posts them in life."
ROUNDS, SECONDS = 9, 1.0


def measure(stage: Stage) -> dict[str, Figure]:
    return posts_over_http(stage) | on_postgres(__name__, "posts_over_http", stage.scale)


def posts_over_http(stage: Stage) -> dict[str, Figure]:
    call_command("collectstatic", interactive=False, verbosity=0)
    number = max(FEWEST_AUTHORS, stage.size(AUTHORS))
    authors = [make_author(make_users(FOLLOWERS)) for _ in range(number)]
    for author in authors:
        selectors.home(author)
    cookies = [cookies_of(author) for author in authors]
    with (
        web_server(stage, "socialsite.settings") as site,
        web_server(stage, "bench.hello") as hello,
        stage.worker(),
    ):
        posts = [
            _form(site, author, cookie) for author, cookie in zip(authors, cookies, strict=True)
        ]
        pages = [get("/", port=hello, cookies=cookie) for cookie in cookies]
        return {
            name: figure
            for connections in CONNECTIONS
            for name, figure in _compare(stage, connections, (site, posts), (hello, pages)).items()
        }


def _form(port: int, author: User, cookies: str) -> bytes:
    token = dict(part.split("=", 1) for part in cookies.split("; "))[settings.CSRF_COOKIE_NAME]
    form = {"text": TEXT.format(name=author.username), "csrfmiddlewaretoken": token}
    return post("/statuses/", urlencode(form).encode(), port=port, cookies=cookies)


def _compare(
    stage: Stage,
    connections: int,
    ours: tuple[int, Sequence[bytes]],
    hello: tuple[int, Sequence[bytes]],
) -> dict[str, Figure]:
    """In turns, and briefly: the machine itself is faster or slower for seconds at a time."""
    loads: dict[int, list[Load]] = {}
    seconds = max(0.2, SECONDS * stage.scale)
    for _ in range(stage.size(ROUNDS) + 1):
        for port, requests in (ours, hello):
            shares = [requests[start::connections] for start in range(connections)]
            loads.setdefault(port, []).append(load(port, shares, seconds=seconds))
    return _figures(connections, *(done[1:] for done in loads.values()))  # the first warms up


def _figures(connections: int, ours: list[Load], hello: list[Load]) -> dict[str, Figure]:
    name = f"Django's hello world, same middleware, {settings.WEB_WORKERS} workers"
    p50, p99 = (
        1000 * median([percentile(each.seconds, percent) for each in ours]) for percent in (50, 99)
    )
    which = f"posts over HTTP, {connection.display_name}, {connections} connections"
    return {
        which: Figure(
            median([each.rate for each in ours]),
            median([each.rate for each in hello]),
            *("requests/s", name),
            target=Target("at least", CONNECTIONS[connections]),
        ),
        f"{which}, p99": Figure(
            *(p99, p50, "ms", "their own p50"),
            smaller_is_better=True,
            target=Target("at most", 6.0),
        ),
    }
