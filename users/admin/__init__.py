"""Accounts in the admin, their sessions and invitations."""

from ..invitations import admin as invitations
from . import accounts, sessions
from .accounts import UserAdmin

__all__ = ["UserAdmin", "accounts", "invitations", "sessions"]
