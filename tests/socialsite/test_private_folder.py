import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site
from django.core.exceptions import ImproperlyConfigured

from socialsite.private_folder import make_private
from tests.running_site import site_environment, temporary_folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_an_earlier_version_left_open_is_closed_by_any_command() -> None:
    with temporary_folder() as folder:
        (folder / "redis").mkdir()
        (folder / "static").mkdir()
        left_open = [folder / name for name in ("socialsite.sqlite3", "redis/aof", "lock")]
        public = folder / "static" / "site.css"
        for path in (*left_open, public):
            path.touch()
            path.chmod(0o644)
        for path in (folder, folder / "redis", folder / "static"):
            path.chmod(0o755)
        subprocess.run(
            [sys.executable, "manage.py", "check"],
            cwd=site.BASE_DIR,
            env=site_environment(folder),
            capture_output=True,
            timeout=60,
            check=True,
        )
        assert [mode(folder), mode(folder / "redis")] == [0o700, 0o700]
        assert [mode(path) for path in left_open] == [0o600] * 3
        assert mode(public) == 0o644


def test_a_new_folder_is_closed_to_others() -> None:
    with temporary_folder() as folder:
        make_private(folder / "new")
        assert mode(folder / "new") == 0o700


def test_a_folder_that_all_users_share_is_refused_and_left_as_it_is() -> None:
    with temporary_folder() as folder:
        folder.chmod(0o1777)
        with pytest.raises(ImproperlyConfigured, match="set SOCIALSITE_DATA_DIR to a folder of"):
            make_private(folder)
        assert mode(folder) == 0o1777
