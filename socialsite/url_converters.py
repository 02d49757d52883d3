"""What an address may contain: one that can't be ours is a 404 without a query."""

from django.urls.converters import IntConverter, StringConverter

from users.names.usernames import PATTERN


class IdConverter(IntConverter):
    """A positive number that fits every column and every Redis score."""

    regex = "[1-9][0-9]{0,15}"


class NumberConverter(IntConverter):
    """From 0. Django's own takes thousands of digits, which no column does."""

    regex = "0|[1-9][0-9]{0,8}"


class UsernameConverter(StringConverter):
    regex = PATTERN
