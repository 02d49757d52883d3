from django.http import HttpRequest

from .login.middleware import account_of


def appearance(request: HttpRequest) -> dict[str, str]:
    """`theme` is empty where the system decides; so it is in refusals that come before the log-in
    is looked at.
    """
    user = account_of(request) if hasattr(request, "user") else None
    return {"theme": user.theme if user else ""}
