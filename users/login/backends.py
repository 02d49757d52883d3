"""Who is logged in: asked by every page."""

from django.contrib.auth.backends import ModelBackend

from ..models import User
from ..rows import account


class AccountBackend(ModelBackend):
    def get_user(self, user_id: int) -> User | None:
        user = account(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None
