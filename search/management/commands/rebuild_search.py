from typing import Any

from tqdm import tqdm

from processes import embedded_redis
from taskqueue.management.helpful import HelpfulCommand

from ...index import feeding
from ...index.window import filling


class Command(HelpfulCommand):
    help = (
        "Look at every post again, the newest first, and put right what searches find. Safe while "
        "the site runs; Ctrl-C stops it, and the next run continues from there. A site that was "
        "upgraded or restored does the same by itself, as long as a worker runs."
    )
    examples = ("manage.py rebuild_search    everything, or the rest of it",)

    def handle(self, **options: Any) -> None:
        with embedded_redis.available():
            looked_at = self._rebuild()
        self.stdout.write(f"{looked_at:,} posts: searches find what SQL has")

    def _rebuild(self) -> int:
        if not feeding.left():
            feeding.start_over()
            filling.forget()
        looked_at = 0
        with tqdm(total=feeding.left(), desc="posts", disable=None) as bar:
            while done := feeding.index_old(steps=1):
                looked_at += done
                bar.update(done)
        while feeding.index_new(steps=1):
            pass
        return looked_at
