"""Requests that PostgreSQL refuses because of each other are done again.

Our services lock rows in one order: lists, accounts by id, statuses from new to old. What is left
are rare pairs, such as an account that is deleted while somebody likes its statuses. Tasks are
tried again anyway.
"""

import logging
import time

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from ..refusals import Refusal, answer_of_view

# Of the SQL standard: serialization failure, and PostgreSQL's own: deadlock detected.
CODES = {"40001", "40P01"}
ATTEMPTS = 3
# Enough for the other transaction to end.
PAUSE_SECONDS = 0.05

logger = logging.getLogger(__name__)


def is_deadlock(error: BaseException) -> bool:
    code = getattr(error.__cause__, "sqlstate", None)
    return isinstance(error, OperationalError) and code in CODES


class AgainAfterDeadlock(MiddlewareMixin):
    """Calls the view again: its one service has one transaction, so nothing was done at first."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not is_deadlock(exception) or request.resolver_match is None:
            return None
        view, args, kwargs = request.resolver_match
        for attempt in range(2, ATTEMPTS + 1):
            logger.info("%s is done again: %s", request.path, exception)
            time.sleep(PAUSE_SECONDS)
            try:
                response: HttpResponse = view(request, *args, **kwargs)
            except OperationalError as error:
                if attempt == ATTEMPTS or not is_deadlock(error):
                    raise
            except Refusal as refusal:
                return answer_of_view(request, refusal)
            else:
                return response
        return None
