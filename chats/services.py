"""Writing messages: SQL first, under the lock of the chat; its log in Redis, counts and events
follow after the commit. Sending costs the same however many members a chat has.
"""

from datetime import timedelta
from functools import partial

import regex
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from redistools.client import get_client
from statuses.selectors import status_to_answer
from statuses.words import text as texts
from taskqueue import start
from users.events import about_to_publish
from users.models import User
from users.selectors import refuse_unconfirmed
from users.throttling import throttled
from web.refusals import Refusal

from . import tasks
from .models import LONGEST_EMOJI, Chat, Hidden, Member, Message, Reaction, message_ids
from .rows import lock_chat, member_of, message_of, next_id, next_version, present_member
from .stored import stored
from .writing_to import refuse_writing

# For how long its author may edit a message, or delete it for everybody.
CHANGEABLE = timedelta(hours=1)
MOST_EMOJI = 20

_one_sign = regex.compile(r"\X")
_emoji = regex.compile(r"\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u20E3")


@throttled("message", by="author")
def send(
    *,
    chat: Chat,
    author: User,
    text: str = "",
    reply_to: int | None = None,
    status: int | None = None,
    idempotency_key: str | None = None,
) -> Message:
    """Sends once for an idempotency key. `status` is the id of a post that the author may see; with
    one, the text may be empty. Raises Refusal, ValidationError and 404.
    """
    message = Message(
        chat=chat,
        author=author,
        text=texts.clean(text) if text.strip() or not status else "",
        reply_to=reply_to,
        status_id=status_to_answer(status, by=author).id if status else None,
        idempotency_key=idempotency_key or None,
    )
    message.clean_fields(exclude={"id", "version", "author", "chat", "status"})
    refuse_unconfirmed(author)
    about_to_publish(author, message.text)
    try:
        return _save(message, author, message_ids.next(get_client()))
    except IntegrityError:
        # A double click was first, or Redis lost its memory and made the same id again.
        again = message_ids.next(get_client(), ask_sql=True)
        return _sent_before(message) or _save(message, author, again)


def _sent_before(message: Message) -> Message | None:
    if message.idempotency_key is None:
        return None
    sent = Message.objects.filter(author=message.author_id, idempotency_key=message.idempotency_key)
    return sent.first()


def _save(message: Message, author: User, made: int) -> Message:
    with transaction.atomic():
        chat = lock_chat(message.chat)
        member = present_member(chat, author)
        refuse_writing(chat, author)
        if message.reply_to:
            message_of(member, message.reply_to)
        if member.state != Member.State.ACCEPTED:  # by an answer
            Member.objects.filter(pk=member.pk).update(state=Member.State.ACCEPTED)
        message.pk = chat.last_message = next_id(chat, made)
        message.version = next_version(chat)
        message.save(force_insert=True)
        _publish(message, is_new=True)
    return message


@throttled("edit", by="by")
def edit_message(*, message: Message, by: User, text: str) -> bool:
    """Returns False if nothing changed. Raises Refusal, ValidationError and 404."""
    text = texts.clean(text)
    about_to_publish(by, text)
    with transaction.atomic():
        row = _own(message, by)
        if row.text == text:
            return False
        row.text, row.edited_at = text, timezone.now()
        row.version = row.edited_version = next_version(row.chat)
        row.save(update_fields=["text", "edited_at", "version", "edited_version"])
        _publish(row)
    return True


@throttled("deletion", by="by")
def delete_message(*, message: Message, by: User) -> None:
    """For everybody. Raises Refusal and 404."""
    with transaction.atomic():
        row = _own(message, by)
        row.text, row.status_id, row.is_deleted = "", None, True
        row.version = next_version(row.chat)
        row.save(update_fields=["text", "status", "is_deleted", "version"])
        row.reactions.all().delete()
        _publish(row)


def _own(message: Message, by: User) -> Message:
    """Its row, with the chat locked, if its author may still change it."""
    chat = lock_chat(message.chat)
    row = message_of(present_member(chat, by), message.pk)
    row.chat = chat
    if row.author_id != by.pk:
        raise Refusal(
            gettext("Only its author can change a message."), code="not_yours", status=403
        )
    if timezone.now() - row.sent_at > CHANGEABLE:
        raise Refusal(
            gettext("A message can be changed for an hour; this one is older."),
            code="too_late",
            status=403,
        )
    return row


@throttled("deletion", by="by")
def hide_message(*, message: Message, by: User) -> None:
    """Deletes it for oneself, at any time. Doing it twice changes nothing. Raises 404."""
    with transaction.atomic():
        row = message_of(member_of(lock_chat(message.chat), by), message.pk)
        Hidden.objects.get_or_create(message=row, user=by)
        start.run_on_commit(tasks.tell_some, row.chat_id, [by.pk])


@throttled("reaction", by="by")
def react(*, message: Message, by: User, emoji: str) -> bool:
    """Returns False if they had done so. Raises Refusal, ValidationError and 404."""
    emoji = emoji.strip()
    if not _is_emoji(emoji):
        raise ValidationError(gettext("Choose one emoji."), code="emoji")
    with transaction.atomic():
        row = _locked(message, by)
        refuse_writing(row.chat, by)
        others = row.reactions.exclude(emoji=emoji).values("emoji").distinct()
        if others.count() >= MOST_EMOJI:
            words = gettext("A message has at most %(most)s different emoji.")
            raise Refusal(words % {"most": MOST_EMOJI}, code="limit")
        _, is_new = Reaction.objects.get_or_create(message=row, user=by, emoji=emoji)
        if is_new:
            _changed(row)
    return is_new


def _is_emoji(text: str) -> bool:
    is_short = 0 < len(text) <= LONGEST_EMOJI
    return bool(is_short and _one_sign.fullmatch(text) and _emoji.search(text))


@throttled("undo", by="by")
def take_back(*, message: Message, by: User, emoji: str) -> bool:
    with transaction.atomic():
        row = _locked(message, by)
        gone, _ = row.reactions.filter(user=by, emoji=emoji).delete()
        if gone:
            _changed(row)
    return bool(gone)


def _locked(message: Message, by: User) -> Message:
    chat = lock_chat(message.chat)
    row = message_of(present_member(chat, by), message.pk)
    row.chat = chat
    return row


def _changed(row: Message) -> None:
    row.version = next_version(row.chat)
    row.save(update_fields=["version"])
    _publish(row)


def _publish(row: Message, *, is_new: bool = False) -> None:
    """The caller has locked the chat."""
    ids = row.chat_id, row.pk
    if is_new:
        work = partial(tasks.publish_known, row.chat_id, stored([row])[0], is_new=True)
        start.do_on_commit(work, tasks.publish, *ids)
    else:
        start.run_on_commit(tasks.publish, *ids)


@throttled("reading", by="user")
def mark_read(*, chat: Chat, user: User, up_to: int) -> bool:
    return see(chat=chat, user=user, up_to=up_to)


def see(*, chat: Chat, user: User, up_to: int) -> bool:
    """Never backwards, and no further than there are messages. Returns False if nothing changed."""
    with transaction.atomic():
        member = member_of(Chat.objects.filter(pk=chat.pk).first() or chat, user)
        up_to = min(up_to, member.last_message)
        changed = Member.objects.filter(pk=member.pk, read_to__lt=up_to).update(read_to=up_to)
        if changed:
            start.run_on_commit(tasks.tell_some, chat.pk, [user.pk])
    return bool(changed)
