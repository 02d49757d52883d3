"""What a test run prints at its beginning and its end."""

import subprocess
import sys
from pathlib import Path

from django.conf import settings

from processes.embedded_redis import server_binary

FLICKERING = """
from pathlib import Path

def test_that_succeeds_at_the_second_try():
    mark = Path(__file__).with_name("mark")
    tried, _ = mark.exists(), mark.touch()
    print("a word in between")
    assert tried, "came too late"
"""


def test_a_run_names_its_redis_and_shows_why_a_test_was_tried_again(tmp_path: Path) -> None:
    file = tmp_path / "test_flickering.py"
    file.write_text(FLICKERING)
    options = ["--reruns", "1", "-p", "no:cacheprovider", "-n", "1"]
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--confcutdir",
            "tests",
            *options,
            "tests/about",
            str(file),
        ],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    print(run.stdout)
    assert run.returncode == 0
    assert f"({server_binary()})" in run.stdout
    assert "came too late" in run.stdout
    assert "a word in between" in run.stdout
