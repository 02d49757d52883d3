"""Figures for programs: in the format that they read, and for nobody else."""

import json
import re
from ipaddress import ip_network

import pytest
import yaml
from django.conf import settings as site
from django.test import Client
from pytest_django import Settings

from insight import metrics
from insight.figures import FIGURES, TIMINGS
from insight.recording.buffer import buffer
from insight.recording.sending import flush
from redistools.client import get_client
from tests.insight.test_keeping import lose_all_keys
from tests.outages import redis_away

pytestmark = pytest.mark.usefixtures("measuring")

DEPLOY = site.BASE_DIR / "deploy"
LABEL = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
LINE = re.compile(rf"([a-z_]+)(?:\{{({LABEL}(?:,{LABEL})*)\}})? (-?[0-9.]+(?:e[+-][0-9]+)?)")
HEAD = re.compile(r"# (?:HELP [a-z_]+ .+|TYPE [a-z_]+ (?:counter|gauge|summary))")
CHOICE = re.compile(LABEL)
CHOSEN = re.compile(r"\b(socialsite_[a-z_]+)\{([^}]+)\}")
NAME = re.compile(r"\bsocialsite_[a-z_]+")


def exposed() -> dict[str, float]:
    """By metric and labels, as `name{labels}`. Every line has to be one or the other."""
    flush()
    found = {}
    for line in metrics.exposition().splitlines():
        if not HEAD.fullmatch(line):
            match = LINE.fullmatch(line)
            assert match, line
            found[f"{match[1]}{{{match[2]}}}" if match[2] else match[1]] = float(match[3])
    return found


def test_counters_are_summed_and_labelled() -> None:
    for _ in range(2):
        buffer.count("posts", by=3)
        buffer.count("pages", "admin:users_user_changelist 2xx")
        buffer.count("pages", "unknown page 4xx")
        flush()
    found = exposed()
    assert found["socialsite_posts_total"] == 6
    assert found["socialsite_likes_total"] == 0
    assert found['socialsite_pages_total{page="unknown page",class="4xx"}'] == 2
    assert found['socialsite_pages_total{page="admin:users_user_changelist",class="2xx"}'] == 2


def test_gauges_are_the_newest_sample_in_base_units() -> None:
    buffer.peak("queue_age", 1_500, "default")
    found = exposed()
    assert found['socialsite_queue_age_seconds{queue="default"}'] == 1.5
    assert 'socialsite_queue_age_seconds{queue="fan_out"}' not in found
    assert "socialsite_stream_clients" not in found, "not sampled is not nothing"


def test_times_come_with_count_sum_and_quantiles() -> None:
    for ms in range(1, 101):
        buffer.timed("page", "home", ms / 1000)
    found = exposed()
    assert found['socialsite_page_seconds_count{name="home"}'] == 100
    assert found['socialsite_page_seconds_sum{name="home"}'] == pytest.approx(5.05)
    p95 = found['socialsite_page_seconds{name="home",quantile="0.95"}']
    assert p95 == pytest.approx(0.095, rel=0.02)


def test_odd_names_are_quoted() -> None:
    buffer.timed("sql", 'SELECT "odd\\table"', 0.001)
    assert 'socialsite_sql_seconds_count{name="SELECT \\"odd\\\\table\\""}' in exposed()


@pytest.mark.parametrize("file", ["alerts.yml", "grafana-dashboard.json"])
def test_alerts_and_dashboard_use_figures_that_there_are(file: str) -> None:
    families = [metrics.metric_of(name) for name in FIGURES]
    for kind in TIMINGS:
        base = metrics.metric_of_times(kind)
        families += [base, f"{base}_sum", f"{base}_count"]
    used = set(NAME.findall((DEPLOY / file).read_text()))
    assert len(used) > 5
    assert used <= set(families)


def questions() -> list[str]:
    """Of the alerts and of the dashboard."""
    alerts = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    panels = json.loads((DEPLOY / "grafana-dashboard.json").read_text())["panels"]
    asked = [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
    return asked + [target["expr"] for panel in panels for target in panel.get("targets", ())]


def test_what_alerts_and_dashboard_choose_by_is_exposed() -> None:
    buffer.count("kept_pages", "hit")
    for kind in TIMINGS:
        buffer.timed(kind, "lag" if kind == "fan_out" else "home", 0.001)
    known = list(exposed())
    asked = [it for question in questions() for it in CHOSEN.findall(question)]
    assert len(asked) > 3
    for name, labels in asked:
        wanted = set(CHOICE.findall(labels))
        assert any(it.startswith(f"{name}{{") and wanted <= set(CHOICE.findall(it)) for it in known)


def test_alerts_compare_figures_of_the_same_labels() -> None:
    """Prometheus finds nothing, and says nothing, if one side is a sum and the other is not."""
    compared = [it for it in questions() if len(NAME.findall(it)) > 1]
    assert len(compared) > 1
    for question in compared:
        assert question.count("sum(") == len(NAME.findall(question)), question


def test_the_dashboard_shows_every_kind_of_figure() -> None:
    dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    used = set(NAME.findall(json.dumps(dashboard["panels"])))
    assert {metrics.metric_of(name) for name in FIGURES} <= used


def test_only_this_machine_may_read_it(settings: Settings) -> None:
    assert Client().get("/metrics").status_code == 200
    for address in ("192.0.2.1", "2001:db8::1", ""):
        assert Client().get("/metrics", REMOTE_ADDR=address).status_code == 404
    settings.METRICS_ALLOW = networks("192.0.2.0/24", "2001:db8::/32")
    for address, status in (("192.0.2.1", 200), ("2001:db8::1", 200), ("127.0.0.1", 404)):
        assert Client().get("/metrics", REMOTE_ADDR=address).status_code == status


def networks(*names: str) -> list[object]:
    return [ip_network(name) for name in names]


def test_nobody_comes_through_a_proxy_on_this_machine(settings: Settings) -> None:
    forwarded = {"X-Forwarded-For": "127.0.0.1, 192.0.2.1"}
    assert Client().get("/metrics", headers=forwarded).status_code == 404
    settings.TRUSTED_PROXIES = 1
    assert Client().get("/metrics", headers=forwarded).status_code == 404
    near = {"X-Forwarded-For": "127.0.0.1"}
    assert Client().get("/metrics", headers=near).status_code == 200


def test_a_program_with_the_token_may_read_it_from_anywhere(settings: Settings) -> None:
    def answer(token: str) -> int:
        header = {"Authorization": f"Bearer {token}"}
        return Client().get("/metrics", headers=header, REMOTE_ADDR="192.0.2.1").status_code

    assert answer("") == answer("None") == 404, "without a setting there is no token"
    settings.METRICS_TOKEN = "a long secret"
    assert [answer(it) for it in ("a long secret", "a long secre", "", "é")] == [200, 404, 404, 404]


def test_it_says_that_redis_is_away() -> None:
    with redis_away():
        browser = Client(raise_request_exception=False)
        assert browser.get("/metrics").status_code == 503


def test_what_redis_lost_starts_over(transactional_db: None) -> None:
    buffer.count("posts", by=9)
    flush()
    lose_all_keys()
    buffer.count("posts")
    assert exposed()["socialsite_posts_total"] == 1
    assert get_client().ping()
