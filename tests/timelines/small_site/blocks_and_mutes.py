"""Who blocks and mutes whom, and what moderators do."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import rule

from relations.blocks_and_mutes.services import (
    block,
    mute,
    mute_thread,
    mute_word,
    unblock,
    unmute,
    unmute_thread,
    unmute_word,
)
from relations.models import Block, Mute, MutedWord, ThreadMute
from users.audience import Visibility
from users.models import User
from users.services import refresh_after_commit, restore, silence, suspend, unsilence

from .life import Life, dying_after_the_commit, numbers, people, pick

# "some" is in no text: it is only a part of "something".
words = st.sampled_from(["two", "SOMETHING", "some", "user1"])
actions = st.sampled_from(MutedWord.Action.values)
# Without an end, with one far away, and with one that is over.
days = st.sampled_from([None, 1, -1])


class BlocksAndMutes(Life):
    @rule(
        who=people, private=st.booleans(), default=st.sampled_from(Visibility), dies=st.booleans()
    )
    def change_privacy(
        self,
        who: int,
        private: bool,
        default: Visibility = Visibility.PUBLIC,
        dies: bool = False,
    ) -> None:
        user = self.users[who]
        user.default_visibility = default
        with dying_after_the_commit(dies), transaction.atomic():
            rows = User.objects.filter(pk=user.pk)
            rows.update(is_private=private, default_visibility=default)
            refresh_after_commit(user, renamed=False)

    @rule(one=people, other=people, dies=st.booleans())
    def block(self, one: int, other: int, dies: bool = False) -> None:
        with dying_after_the_commit(dies):
            block(blocker=self.users[one], blocked=self.users[other])

    @rule(number=numbers, dies=st.booleans())
    def unblock(self, number: int, dies: bool) -> None:
        with dying_after_the_commit(dies):
            for row in pick(number, Block.objects.select_related("blocker", "blocked")):
                unblock(blocker=row.blocker, blocked=row.blocked)

    @rule(one=people, other=people, days=days, dies=st.booleans())
    def mute(self, one: int, other: int, days: int | None = None, dies: bool = False) -> None:
        with dying_after_the_commit(dies):
            mute(user=self.users[one], muted=self.users[other], until=_in(days))

    @rule(who=people, number=numbers, days=days, dies=st.booleans())
    def mute_a_thread(self, who: int, number: int, days: int | None, dies: bool) -> None:
        status = self.status_for(who, number)
        with dying_after_the_commit(dies):
            if status:
                thread = status.thread or status.id
                mute_thread(user=self.users[who], thread=thread, until=_in(days))

    @rule(who=people, word=words, action=actions, days=days, dies=st.booleans())
    def mute_a_word(self, who: int, word: str, action: str, days: int | None, dies: bool) -> None:
        with dying_after_the_commit(dies):
            mute_word(user=self.users[who], phrase=word, action=action, until=_in(days))

    @rule(number=numbers, dies=st.booleans())
    def unmute(self, number: int, dies: bool) -> None:
        """Somebody, a thread or a word."""
        muted: list[Mute | ThreadMute | MutedWord]
        muted = [*Mute.objects.all(), *ThreadMute.objects.all(), *MutedWord.objects.all()]
        with dying_after_the_commit(dies):
            for row in pick(number, muted):
                if isinstance(row, Mute):
                    unmute(user=row.user, muted=row.muted)
                elif isinstance(row, ThreadMute):
                    unmute_thread(user=row.user, thread=row.thread)
                else:
                    unmute_word(user=row.user, word_id=row.pk)

    @rule(who=people, dies=st.booleans())
    def suspend(self, who: int, dies: bool = False) -> None:
        with dying_after_the_commit(dies):
            suspend(user=self.users[who])

    @rule(number=numbers, dies=st.booleans())
    def restore(self, number: int, dies: bool) -> None:
        with dying_after_the_commit(dies):
            for user in pick(number, [it for it in self.users if not it.is_active]):
                restore(user=user)

    @rule(who=people, silenced=st.booleans(), dies=st.booleans())
    def silence(self, who: int, silenced: bool = True, dies: bool = False) -> None:
        with dying_after_the_commit(dies):
            (silence if silenced else unsilence)(user=self.users[who])


def _in(days: int | None) -> datetime | None:
    return None if days is None else timezone.now() + timedelta(days=days)
