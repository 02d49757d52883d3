"""Accounts in the admin, and who may enter it."""

from . import accounts, entrance, sessions
from .accounts import UserAdmin

__all__ = ["UserAdmin", "accounts", "entrance", "sessions"]
