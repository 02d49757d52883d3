"""A Python that stays inside of a running site: each `manage.py shell` takes a second to start."""

import io
import json
import subprocess
import sys
from contextlib import redirect_stdout
from typing import Any

from django.conf import settings

ANSWER = "from tests import console; console.answer()"


class Console:
    """Runs code in one process that has the site's environment."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", "shell", "-v0", "-c", ANSWER],
            cwd=settings.BASE_DIR,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, code: str) -> str:
        """What the code printed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(code), file=self._process.stdin, flush=True)
        said = self._process.stdout.readline()
        assert said, f"failed, as its output says: {code}"
        return str(json.loads(said)).strip()

    def close(self) -> None:
        self._process.communicate(timeout=40)


def answer() -> None:
    """Until nobody asks any more. Names that code defines are gone after it."""
    for line in sys.stdin:
        said = io.StringIO()
        names: dict[str, Any] = {}
        with redirect_stdout(said):
            exec(json.loads(line), names)  # what our own tests say
        print(json.dumps(said.getvalue()), flush=True)
