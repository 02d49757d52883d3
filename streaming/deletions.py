"""What deleted statuses were about: streams that got them are told that they are gone."""

from collections.abc import Mapping

from statuses import store as statuses
from statuses.models import Status
from statuses.reading.history import earlier_texts
from statuses.stored import StoredStatus

from .status_facts import StatusFacts, facts_of


def facts_of_each(known: Mapping[int, StoredStatus]) -> dict[int, StatusFacts]:
    """As far as Redis and SQL still know. Originals that are no longer public are left out, though
    public streams may have had their boosts.
    """
    originals = _originals_for_everybody(known)
    earlier = earlier_texts([it.id for it in known.values() if it.edited_ms])
    facts = {
        status_id: facts_of(stored, originals.get(stored.boost_of or 0))
        for status_id, stored in known.items()
    }
    for status_id, texts in earlier.items():
        before = [facts_of(known[status_id].saying(text)) for text in texts]
        facts[status_id] = facts[status_id].including(before)
    return facts


def _originals_for_everybody(known: Mapping[int, StoredStatus]) -> dict[int, StoredStatus]:
    boosted = {it.boost_of for it in known.values() if it.boost_of}
    if not boosted:
        return {}
    listed = Status.objects.listed().filter(pk__in=boosted)
    return statuses.find_statuses(list(listed.values_list("pk", flat=True)))
