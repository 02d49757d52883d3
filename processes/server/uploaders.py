"""Who may send a request that is longer than other forms.

Asked when its head is here (`uploading.py`): a visitor's body would fill memory for nothing.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY as USER_ID
from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections

from users.login.sessions import SessionStore
from web.uploads import is_for_files


def uploader(environ: dict[str, Any]) -> str | None:
    """The id of the account; None: a visitor, or a page that takes no files.

    One round trip to Redis, SQL if it has no copy of the session. The view authorises as ever.
    """
    request = WSGIRequest(environ)
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key or not is_for_files(request):
        return None
    close_old_connections()
    return SessionStore(key).get(USER_ID)
