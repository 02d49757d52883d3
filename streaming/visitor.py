"""Who stands behind a stream."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Visitor:
    """Somebody with an access token, or with a browser that is logged in."""

    user_id: int
    token_id: int | None = None
    scopes: frozenset[str] = frozenset()
    session_key: str | None = None

    @property
    def name(self) -> str:
        """Under which attempts are counted: for each token, and for all of a user's pages."""
        return f"token:{self.token_id}" if self.token_id is not None else f"user:{self.user_id}"
