"""Who may write to whom."""

from django.utils.translation import gettext

from relations.models import Follow
from relations.selectors import is_block_between
from users.models import User
from web.refusals import Refusal

from .models import Chat, Member, Message, Preferences

# Until they answer or accept.
MOST_TO_STRANGERS = 3
EVERYBODY, FOLLOWED, NOBODY = Preferences.WhoWrites


def state_for(writer: User, recipient: User) -> Member.State:
    """In which a chat begins for the recipient. Raises Refusal if they don't want it."""
    refuse_pair(writer, recipient)
    wanted = who_writes_to(recipient)
    if wanted == EVERYBODY or _follows(recipient, writer):
        return Member.State.ACCEPTED
    if wanted == NOBODY:
        raise Refusal(
            gettext("%(account)s takes no messages.") % {"account": recipient},
            code="no_messages",
            status=403,
        )
    return Member.State.PENDING


def who_writes_to(user: User) -> int:
    rows = Preferences.objects.filter(user=user).values_list("who_writes", flat=True)
    return next(iter(rows), FOLLOWED)


def refuse_pair(writer: User, other: User | None) -> None:
    """Blocks and suspensions hold in open chats, too."""
    if other is None or not other.is_active:
        raise Refusal(gettext("This account no longer exists."), code="gone", status=403)
    if is_block_between(writer.pk, other.pk):
        raise Refusal(
            gettext("You can't write to %(account)s.") % {"account": other},
            code="blocked",
            status=403,
        )


def refuse_writing(chat: Chat, author: User) -> None:
    """For a member of the chat, which the caller has locked. Raises Refusal."""
    if chat.is_group:
        return
    others = Member.objects.filter(chat=chat).exclude(user=author).select_related("user")
    other = others.first()
    refuse_pair(author, other.user if other else None)
    if other is None or other.state == Member.State.ACCEPTED:
        return
    if other.state == Member.State.PENDING and _follows(other.user, author):
        Member.objects.filter(pk=other.pk).update(state=Member.State.ACCEPTED)
    elif Message.objects.filter(chat=chat, author=author).count() >= MOST_TO_STRANGERS:
        words = gettext("You can write more once %(account)s has answered.")
        raise Refusal(words % {"account": other.user}, code="not_answered", status=403)


def _follows(follower: User, followee: User) -> bool:
    return Follow.objects.filter(follower=follower, followee=followee).exists()
