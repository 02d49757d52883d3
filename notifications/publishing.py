"""From SQL to where people see it: the copies in Redis, and the pages that are open."""

from collections.abc import Collection, Sequence

from django.db import transaction
from django.utils import translation

from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch
from streaming import publishing
from streaming.server.seats import is_listening
from users.rows import COLUMNS as ACCOUNTS
from users.rows import lock_accounts
from web.languages import CODES

from . import selectors, store
from .events import notified
from .rendering import articles
from .selectors import ShownNotification

# What open pages call it.
EVENT = "notification"


def publish(recipient_id: int, changed: Collection[int], news: Sequence[int]) -> None:
    """Makes the copies equal to SQL, and shows open pages the unread count and what is new.

    The account stays locked until Redis has answered: so pages get the last number last. Mostly
    the recipient has no page open, and nothing is rendered.
    """
    fail_if_away()
    html = _html(recipient_id, news) if news and is_listening(recipient_id) else {}
    with transaction.atomic():
        batch = Batch(get_client())
        recipient = lock_accounts([recipient_id]).get(recipient_id)
        store.write(batch, recipient_id, changed)
        if recipient is not None:
            content = {"unread": recipient.unread_notifications, "html": html}
            publishing.add_personal(batch, recipient_id, EVENT, content)
        batch.run()
    if news:
        notified(recipient_id, news)


def _html(recipient_id: int, news: Sequence[int]) -> dict[str, str]:
    """Renders for all languages if the recipient has chosen none: only the browser knows theirs.

    Call before the lock: it takes some round trips.
    """
    recipient = ACCOUNTS.by_id(recipient_id)
    if recipient is None:
        return {}
    found = selectors.shown(recipient, news)
    if not found:
        return {}
    languages = [recipient.language] if recipient.language else CODES
    return {language: _in_language(found, language) for language in languages}


def _in_language(found: Sequence[ShownNotification], language: str) -> str:
    with translation.override(language):
        return articles(found)
