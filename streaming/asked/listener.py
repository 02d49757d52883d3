"""Who asks for a stream."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Listener:
    user_id: int
    token_id: int | None = None
    scopes: frozenset[str] = frozenset()
    session_key: str | None = None
    language: str = ""  # what the account has chosen for its pages; empty: as the browser says

    @property
    def name(self) -> str:
        """Attempts to connect are counted under this: by token, or for all pages of a user."""
        return f"token {self.token_id}" if self.token_id is not None else f"user {self.user_id}"
