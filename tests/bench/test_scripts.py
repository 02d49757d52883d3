"""Every benchmark runs, at a very small size, and writes what `docs/benchmarks.md` is made from."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from bench.__main__ import NAMES
from bench.report import Figure, Target, show, write

FIELDS = {"ours", "baseline", "ratio", "unit", "baseline_is", "better"}
WRITTEN = [name for name in NAMES if (settings.BASE_DIR / "bench" / f"{name}.py").exists()]


@pytest.mark.long
@pytest.mark.parametrize("name", WRITTEN)
def test_a_benchmark_runs_and_writes_its_figures(
    name: str, tmp_path: Path, migrated_database: Path
) -> None:
    options = ["--scale", "0.001", "--into", str(tmp_path), "--database", str(migrated_database)]
    done = subprocess.run(
        [sys.executable, "-m", "bench", name, *options],
        cwd=settings.BASE_DIR,
        env={
            name: os.environ[name]
            for name in ("PATH", "HOME", "REDIS_SERVER")
            if name in os.environ
        },
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads((tmp_path / f"{name}.json").read_text())
    assert figures
    for figure in figures.values():
        assert figure.keys() >= FIELDS
        assert figure["ours"] is not None


def test_a_ratio_is_ours_by_the_baseline_in_either_direction() -> None:
    assert Figure(6, 3, "a", "b").ratio == 2
    assert Figure(6, 3, "a", "b", smaller_is_better=True).ratio == 2


def test_a_figure_that_falls_short_is_printed_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    show({"slow": Figure(1, 2, "s", "theirs", target=Target("at least", 1.0))})
    show({"quick": Figure(1, 2, "s", "theirs", target=Target("at most", 1.0, of="ours"))})
    slow, quick = capsys.readouterr().out.split("quick")
    assert "SHORT (at least 1)" in slow
    assert "ok (at most 1)" in quick


def test_a_ratio_to_nothing_is_null_in_json(tmp_path: Path) -> None:
    path = write("some", {"idle": Figure(1, 0, "%", "theirs")}, tmp_path)
    assert json.loads(path.read_text())["idle"]["ratio"] is None
