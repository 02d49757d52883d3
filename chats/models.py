"""Chats: who is in them, what was said, and what each member did with it.

The row of a chat is locked while anything in it is written. So ids and versions rise in the order
of the commits: a reader who has seen one never finds a lower one later.
"""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from redistools.ids import IdSequence, time_of
from statuses.models import LOOSE, Status
from web.plain_text import validate_line

MOST_MEMBERS = 500
LONGEST_EMOJI = 32


class WhoAdds(models.IntegerChoices):
    MEMBERS = 0, _("Every member")
    OWNERS = 1, _("Only owners")


class Chat(models.Model):
    """Between two people (`pair`), or a group."""

    # Both ids, the lower first: there is one chat of two people. Empty for a group.
    pair = models.CharField(max_length=40, unique=True, null=True, editable=False)  # noqa: DJ001 - unique
    title = models.CharField(max_length=80, blank=True, validators=[validate_line])
    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, related_name="+", **LOOSE
    )
    who_adds = models.SmallIntegerField(
        choices=WhoAdds.choices, default=WhoAdds.MEMBERS, db_default=WhoAdds.MEMBERS
    )
    created_at = models.DateTimeField(auto_now_add=True)
    last_message = models.BigIntegerField(default=0, db_default=0, editable=False)
    # Rises by one with each change of its messages.
    version = models.BigIntegerField(default=0, db_default=0, editable=False)

    def __str__(self) -> str:
        return self.title or f"chat {self.pk}"

    @property
    def is_group(self) -> bool:
        return self.pair is None


class MemberQuerySet(models.QuerySet["Member"]):
    def present(self) -> "MemberQuerySet":
        return self.filter(left_after=None)

    def counted(self) -> "MemberQuerySet":
        """Whose unread messages count in the total."""
        wanted = Q(state=Member.State.ACCEPTED, is_muted=False, is_archived=False)
        return self.present().filter(wanted)


class Member(models.Model):
    """Reads what was said between joining and leaving. Stays after leaving, for that."""

    class State(models.IntegerChoices):
        ACCEPTED = 0, _("Accepted")
        PENDING = 1, _("Pending")  # a request
        DECLINED = 2, _("Declined")

    class Role(models.IntegerChoices):
        MEMBER = 0, _("Member")
        OWNER = 1, _("Owner")

    chat = models.ForeignKey(Chat, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="chats"
    )
    role = models.SmallIntegerField(choices=Role.choices, default=Role.MEMBER)
    state = models.SmallIntegerField(choices=State.choices, default=State.ACCEPTED)
    # The last messages before they joined, and before they left; and the chat's version then.
    joined_after = models.BigIntegerField(default=0, db_default=0)
    left_after = models.BigIntegerField(null=True)
    left_version = models.BigIntegerField(null=True)
    read_to = models.BigIntegerField(default=0, db_default=0)
    is_muted = models.BooleanField(default=False, db_default=False)
    is_archived = models.BooleanField(default=False, db_default=False)

    objects = MemberQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["chat", "user"], name="chat_member_once"),
            models.CheckConstraint(
                condition=Q(left_after=None) | Q(left_after__gte=F("joined_after")),
                name="chat_left_after_joining",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in chat {self.chat_id}"

    @property
    def is_present(self) -> bool:
        return self.left_after is None

    @property
    def last_message(self) -> int:
        """The last that they may read, as of when the row was read."""
        return self.chat.last_message if self.left_after is None else self.left_after


class Message(models.Model):
    """Its id contains the time. Deleted ones stay, without their words: others answered them."""

    id = models.BigIntegerField(primary_key=True)
    chat = models.ForeignKey(
        Chat, on_delete=models.CASCADE, db_index=False, related_name="messages"
    )
    # Who deletes their account leaves what they said to others, without a name.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, related_name="messages", **LOOSE)
    text = models.TextField(blank=True)
    reply_to = models.BigIntegerField(null=True, blank=True)
    # A post that is shown to those who may see it.
    status = models.ForeignKey(Status, null=True, related_name="+", **LOOSE)
    # The chat's versions at the last change, and at the last change of the words.
    version = models.BigIntegerField()
    edited_version = models.BigIntegerField(default=0, db_default=0)
    edited_at = models.DateTimeField(null=True, blank=True)
    is_deleted = models.BooleanField(default=False, db_default=False)
    idempotency_key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001 - unique

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["author", "idempotency_key"], name="message_once_per_idempotency_key"
            )
        ]
        indexes = [
            models.Index(fields=["chat", "id"], name="message_in_chat"),
            models.Index(fields=["chat", "version"], name="message_by_version"),
            models.Index(fields=["author", "id"], name="message_by_author"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk}"

    @property
    def sent_at(self) -> datetime:
        return time_of(self.pk)


class Reaction(models.Model):
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="reactions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    emoji = models.CharField(max_length=LONGEST_EMOJI)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["message", "user", "emoji"], name="message_reaction_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.emoji} by {self.user_id}"


class Hidden(models.Model):
    """A message that a member deleted for themselves alone."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="hidden")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["message", "user"], name="message_hidden_once")
        ]

    def __str__(self) -> str:
        return f"message {self.message_id}, hidden from {self.user_id}"


class Preferences(models.Model):
    """What an account wants of chats. Without a row: the defaults."""

    class WhoWrites(models.IntegerChoices):
        EVERYBODY = 0, _("Everybody")
        FOLLOWED = 1, _("People I follow")
        NOBODY = 2, _("Nobody")

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+"
    )
    who_writes = models.SmallIntegerField(
        _("who can write to me"), choices=WhoWrites.choices, default=WhoWrites.FOLLOWED
    )

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"


def _highest_id() -> int:
    newest = Message.objects.order_by("-pk").values_list("pk", flat=True)
    return newest.first() or 0


message_ids = IdSequence("messages", floor=_highest_id)
