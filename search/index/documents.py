"""What a post is found by: the terms of its words, place by place, and terms for filters."""

from collections.abc import Iterator, Sequence

from statuses.parts import contents_of
from statuses.stored import StoredStatus
from statuses.words.terms import Place, places

# No word begins with it.
MARK = "="


def document(status: StoredStatus) -> list[Place]:
    """The warning first. The empty place after each keeps phrases from reaching over it."""
    warning = places(status.warning, []) if status.warning else []
    return [
        *(*warning, ()),
        *(*places(status.text, status.found), ()),
        *((term,) for term in sorted(_terms_for_filters(status))),
    ]


def filter_term(name: str, value: str) -> str:
    return f"{MARK}{name}:{value}"


def flat(document: Sequence[Place]) -> Iterator[str]:
    return (term for place in document for term in place)


def _terms_for_filters(status: StoredStatus) -> Iterator[str]:
    yield filter_term("from", status.username.lower())
    if status.reply_to_username:
        yield filter_term("to", status.reply_to_username.lower())
    if status.language:
        yield filter_term("lang", status.language)
    yield from (filter_term("has", it) for it in _contents(status))


def _contents(status: StoredStatus) -> set[str]:
    own = {"reply"} if status.reply_to is not None else set[str]()
    if any(it.kind == "link" for it in status.found):
        own.add("link")
    return own | contents_of(status)
