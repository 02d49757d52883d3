"""What an address may contain: one that can't be ours is a 404 without a query."""

from users.names.usernames import PATTERN


class IdConverter:
    """A positive number that fits every column and every Redis score."""

    regex = "[1-9][0-9]{0,15}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


class NumberConverter(IdConverter):
    """From 0. Django's own takes thousands of digits, which no column does."""

    regex = "0|[1-9][0-9]{0,8}"


class UsernameConverter:
    regex = PATTERN

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
