"""What a test run says about itself: on which Redis it ran."""

import re
import subprocess

from processes.embedded_redis import server_binary


def pytest_report_header() -> str:
    program = server_binary()
    says = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"v=(\S+)", says)
    return f"redis: {version[1] if version else says.strip()} ({program})"
