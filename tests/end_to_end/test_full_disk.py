"""`serve` when nothing can be written any more."""

import subprocess
import sys

from django.conf import settings

from tests.ports import free_ports
from tests.running_site import site_environment, temporary_folder


def test_a_start_on_a_full_disk_is_one_clear_line() -> None:
    with temporary_folder() as folder:
        port, stream_port = map(str, free_ports(2))
        ports = {"PORT": port, "STREAM_PORT": stream_port}
        run = subprocess.run(
            # A process that may not extend any file gets the same errors as on a full disk.
            ["/bin/sh", "-c", 'ulimit -f 0; exec "$0" manage.py serve', sys.executable],
            cwd=settings.BASE_DIR,
            env=site_environment(folder, SECRET_KEY="kept elsewhere", **ports),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"error: The data folder {folder} can't be written")
