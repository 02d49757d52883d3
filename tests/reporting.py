"""What a test run says about itself: on which Redis it ran, and why tests needed a second try."""

import re
import subprocess

import pytest

from processes.embedded_redis import server_binary


def pytest_report_header() -> str:
    program = server_binary()
    says = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"v=(\S+)", says)
    return f"redis: {version[1] if version else says.strip()} ({program})"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """With `--reruns` pytest shows nothing of a failure that did not happen again."""
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"first try of {report.nodeid}", sep="_")
        terminalreporter.write_line(report.longreprtext)
        for title, content in report.sections:
            terminalreporter.write_sep("-", title)
            terminalreporter.write_line(content.rstrip())
