"""The measures as moderators are offered them: what they are called, and what they do."""

from typing import NamedTuple

from ..models import Kind


class Offer(NamedTuple):
    action: str
    """In menus and on buttons."""

    effect: str
    """What the moderator reads before it happens."""


OFFERS = {
    Kind.DISMISS: Offer(
        "Close without a measure",
        "The reports are closed, and nothing else happens.",
    ),
    Kind.DELETE_STATUS: Offer(
        "Delete the post",
        "The post is deleted at once, for everybody. This can't be undone; the report and the "
        "measure keep what it said.",
    ),
    Kind.WARN: Offer(
        "Warn the account",
        "The account reads your words on every page until it says that it has read them.",
    ),
    Kind.MARK_SENSITIVE: Offer(
        "Mark the post as sensitive",
        "Readers see “Marked as sensitive”, and the post when they click.",
    ),
    Kind.UNMARK_SENSITIVE: Offer(
        "Unmark the post as sensitive",
        "The post is shown like any other again.",
    ),
    Kind.REMOVE_AVATAR: Offer(
        "Remove the avatar",
        "The picture is deleted, and the initials of the account are shown in its place. This "
        "can't be undone; the account may choose another picture.",
    ),
    Kind.REMOVE_HEADER: Offer(
        "Remove the header",
        "The picture at the top of the profile is deleted. This can't be undone; the account may "
        "choose another.",
    ),
    Kind.SILENCE: Offer(
        "Silence the account",
        "Only followers see what the account says: it leaves explore, tags and public streams. "
        "Nobody is told.",
    ),
    Kind.UNSILENCE: Offer(
        "No longer silence the account",
        "Everybody sees again what the account says.",
    ),
    Kind.SUSPEND: Offer(
        "Suspend the account",
        "From now on nobody sees the account anywhere: profile, posts, lists that it owns, its "
        "name among followers and members, links to it. It is logged out, its tokens are refused "
        "and its streams end. Nothing is deleted: you can restore it at any time. When it tries to "
        "log in, it reads why.",
    ),
    Kind.RESTORE: Offer(
        "Restore the account",
        "Everything of the account is shown again, at once and in its old place. It can log in, "
        "and its tokens work.",
    ),
}
