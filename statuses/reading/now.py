"""What an open page shows that may have changed since: counters, pressed buttons, and what is gone.

Asked for after "back", when browsers show a page as it was, and by open threads.
"""

import re
from typing import Any

from django.db.models import Exists
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from relations.selectors import blocks_between, known_to
from users import throttling
from users.decorators import viewer_of
from users.models import User
from web.client_address import client_address
from web.cursors import HIGHEST_ID
from web.refusals import Refusal, answers_json

from .. import selectors
from ..html.rendering import in_short
from .shown import ShownStatus

MOST = 100

_ids = re.compile("[0-9]{1,16}(,[0-9]{1,16})*")
_usernames = re.compile(r"\w{1,30}(,\w{1,30})*", re.ASCII)


@require_safe
@never_cache
@answers_json()
def now(request: HttpRequest) -> HttpResponse:
    """Answers for the entries (`statuses`) and follow buttons (`people`) that the address names. An
    entry that its reader does not get is deleted or hidden: the answer does not tell which.

    Three round trips, one more and a query with `people`; members' sessions come on top.
    """
    viewer = viewer_of(request)
    status_ids = [int(it) for it in _named(request, "statuses", _ids)]
    usernames = _named(request, "people", _usernames)
    if max(status_ids, default=0) > HIGHEST_ID:
        raise Refusal(gettext("That link doesn't work."), code="address")
    throttling.count_look(subject=str(viewer.pk) if viewer else client_address(request))
    shown = selectors.show(status_ids, viewer=viewer).statuses
    answer: dict[str, Any] = {"statuses": {str(it.id): _state(it) for it in shown}}
    if viewer:
        answer["people"] = _buttons(request, viewer, usernames)
        answer["unread"] = viewer.unread_notifications
    return JsonResponse(answer)


def _named(request: HttpRequest, name: str, pattern: re.Pattern[str]) -> list[str]:
    """Each once. Raises Refusal for a bad or too long list."""
    given = request.GET.get(name, "")
    names = list(dict.fromkeys(given.split(","))) if given else []
    if (given and not pattern.fullmatch(given)) or len(names) > MOST:
        raise Refusal(gettext("That link doesn't work."), code="address")
    return names


def _state(entry: ShownStatus) -> dict[str, Any]:
    counts, marks = entry.counts, entry.marks
    counted = {"reply": counts.replies, "boost": counts.boosts, "like": counts.likes}
    pressed = {"boost": marks.boosted, "like": marks.liked, "bookmark": marks.bookmarked}
    return {
        "counts": {action: in_short(number) for action, number in counted.items()},
        "pressed": [reaction for reaction, is_pressed in pressed.items() if is_pressed],
        "edited": entry.status.changed_ms,
    }


def _buttons(request: HttpRequest, viewer: User, usernames: list[str]) -> dict[str, str]:
    if not usernames:
        return {}
    accounts = User.objects.get_queryset().named(usernames).filter(is_active=True)
    reachable = accounts.exclude(Exists(blocks_between(viewer, "pk"))).exclude(pk=viewer.pk)
    people = known_to(viewer, list(reachable.values_list("pk", flat=True)))
    return {
        it.username: render_to_string(
            "relations/_follow_button.html",
            {
                "username": it.username,
                "is_followed": it.id in people.followed,
                "is_asked": it.id in people.asked,
            },
            request,
        )
        for it in people.shown
    }
