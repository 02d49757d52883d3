"""The figures of a whole site are those of all its processes."""

import httpx

from tests.running_site import RunningSite, wait_for

ABOUT = 'socialsite_pages_total{page="about",class="2xx"}'


def figures(site: RunningSite) -> dict[str, float]:
    lines = httpx.get(f"{site.url}/metrics").text.splitlines()
    return {
        name: float(value)
        for name, _, value in (it.rpartition(" ") for it in lines if it[0] != "#")
    }


def test_what_was_asked_of_any_process_is_counted_exactly(site: RunningSite) -> None:
    before = figures(site).get(ABOUT, 0)
    for _ in range(20):  # each on a connection of its own, for any process
        httpx.get(f"{site.url}/about/").raise_for_status()
    wait_for(lambda: figures(site).get(ABOUT, 0) - before >= 20, what="all to be counted")
    assert figures(site)[ABOUT] - before == 20
    assert figures(site)["socialsite_tasks_done_total"] > 0, "the worker measures too"
    wait_for(lambda: "socialsite_stream_clients" in figures(site), what="a sample of the streams")
