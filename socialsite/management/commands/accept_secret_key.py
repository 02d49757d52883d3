from typing import Any

from taskqueue.management.helpful import HelpfulCommand

from ...key_fingerprint import accept_key


class Command(HelpfulCommand):
    help = (
        "Make this host's SECRET_KEY the site's: hosts with another refuse to start. "
        "Stop all hosts first; everybody has to log in again."
    )
    examples = ("SECRET_KEY=… manage.py accept_secret_key    after a change of the key",)

    def handle(self, *args: Any, **options: Any) -> None:
        accept_key()
        self.stdout.write("Hosts with this SECRET_KEY start from now on, others don't.")
