from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from ..models import User
from ..rows import COLUMNS as ACCOUNTS
from ..selectors import name_for


class AccountBackend(ModelBackend):
    @sensitive_variables("password")
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """By name, or by a confirmed address. Those who are leaving may come back."""
        name = name_for(username) if username else username
        return super().authenticate(request, username=name, password=password, **kwargs)

    def user_can_authenticate(self, user: Any) -> bool:
        """Suspended accounts can, so that the form can tell them."""
        return isinstance(user, User)

    def get_user(self, user_id: int) -> User | None:
        user = ACCOUNTS.by_id(user_id)
        return user if user is not None and user.is_active else None
