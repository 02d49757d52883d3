"""Mutes in homes: Redis and SQL agree on what they hide."""

from relations.blocks_and_mutes.services import mute
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.selectors import show
from statuses.services import post_status
from statuses.visibility.rules import HomeRules
from timelines.reading.home_rules import hidden_in_sql
from users.models import User


def test_ones_own_post_does_not_come_up_because_somebody_muted_boosts_it(
    alice: User, bob: User
) -> None:
    mine = post_status(author=bob, text="mine")
    boost(user=alice, status=show([mine.pk], viewer=alice).statuses[0].status)
    mute(user=bob, muted=alice)
    ids = set(Status.objects.values_list("pk", flat=True))
    shown = show(sorted(ids), viewer=bob, rules=HomeRules()).statuses
    assert [it.id for it in shown] == [mine.pk]
    assert hidden_in_sql(bob, ids) == ids - {mine.pk}
