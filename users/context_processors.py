from django.http import HttpRequest

from .login.middleware import account_of


def appearance(request: HttpRequest) -> dict[str, str | bool]:
    """`theme` is empty where the system decides, and in refusals that come before the log-in."""
    user = account_of(request) if hasattr(request, "user") else None
    if user is None:
        return {"theme": "", "has_no_shortcuts": False}
    return {"theme": user.theme, "has_no_shortcuts": not user.has_shortcuts}
