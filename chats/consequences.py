"""What pages say of messages; and what an account that leaves does to chats: what it said stays,
without a name.
"""

from redistools.chunks import chunks
from taskqueue import start
from users.events import before_leaving
from users.models import User
from web.pages.unread_messages import unread_messages

from . import tasks
from .counts import counts_of
from .models import Member

CHATS_AT_ONCE = 100


@before_leaving.then
def leave_chats(user: User) -> None:
    chat_ids = (
        Member.objects.filter(user=user).order_by("chat_id").values_list("chat_id", flat=True)
    )
    some = chunks(list(chat_ids), CHATS_AT_ONCE)
    start.all_on_commit([start.call(tasks.tidy, it) for it in some])


@unread_messages.then
def unread_and_requests(user: User) -> int:
    return sum(counts_of(user.pk))
