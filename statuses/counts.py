"""How often a status was liked, boosted and answered. Beside the status, not in it: a like must not
render anything again.
"""

from typing import NamedTuple, Self

from .models import Status


class Counts(NamedTuple):
    likes: int = 0
    boosts: int = 0
    replies: int = 0

    def fields(self) -> dict[str, str]:
        """As the hash of the status has them."""
        return {name: str(count) for name, count in self._asdict().items()}

    @classmethod
    def of(cls, fields: dict[str, str]) -> Self:
        return cls(int(fields["likes"]), int(fields["boosts"]), int(fields["replies"]))


def counts_of(status: Status) -> Counts:
    return Counts(status.likes_count, status.boosts_count, status.replies_count)
