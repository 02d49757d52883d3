"""What people say, and do with what others say."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from statuses.models import Bookmark, Like, Status
from statuses.reactions import services as reactions
from statuses.services import delete_status, edit_status, mark_sensitive, post_status

from .life import Life, audiences, dying_after_the_commit, numbers, people, pick, texts


class Saying(Life):
    @rule(who=people, times=st.integers(1, 6), text=texts, audience=audiences, dies=st.booleans())
    def post(
        self,
        who: int,
        times: int,
        text: str = "#one",
        audience: int | None = None,
        dies: bool = False,
    ) -> None:
        """A process that dies does so right after the first commit."""
        with dying_after_the_commit(dies):
            for _ in range(1 if dies else times):
                post_status(author=self.users[who], text=text, visibility=audience)

    @rule(who=people, number=numbers, text=texts, audience=audiences, dies=st.booleans())
    def reply(self, who: int, number: int, text: str, audience: int | None, dies: bool) -> None:
        answered = self.status_for(who, number)
        with dying_after_the_commit(dies):
            if answered:
                author = self.users[who]
                post_status(author=author, text=text, reply_to=answered.id, visibility=audience)

    @rule(number=numbers, text=texts, dies=st.booleans())
    def edit(self, number: int, text: str, dies: bool) -> None:
        with dying_after_the_commit(dies):
            for status in pick(number, _written()):
                edit_status(status=status, by=status.author, text=text)

    @rule(number=numbers, is_sensitive=st.booleans(), dies=st.booleans())
    def mark_sensitive(self, number: int, is_sensitive: bool, dies: bool) -> None:
        with dying_after_the_commit(dies):
            for status in pick(number, _written()):
                mark_sensitive(status=status, is_sensitive=is_sensitive)

    @rule(number=numbers, times=st.integers(1, 4), dies=st.booleans())
    def delete(self, number: int, times: int, dies: bool = False) -> None:
        """Some in a row, from anywhere between the oldest and the newest."""
        statuses = list(Status.objects.select_related("author").order_by("id"))
        first = number % len(statuses) if statuses else 0
        for status in statuses[first : first + times]:
            with dying_after_the_commit(dies):
                delete_status(status=status, by=status.author)

    @rule(who=people, number=numbers, dies=st.booleans(), again=st.booleans())
    def boost(self, who: int, number: int, dies: bool, again: bool) -> None:
        status = self.status_for(who, number)
        with dying_after_the_commit(dies):
            if status:
                reactions.boost(user=self.users[who], status=status)
            if status and again:
                reactions.unboost(user=self.users[who], status_id=status.id)
                reactions.boost(user=self.users[who], status=status)

    @rule(who=people, number=numbers, dies=st.booleans())
    def unboost(self, who: int, number: int, dies: bool) -> None:
        boosts = self.users[who].statuses.filter(boost_of__isnull=False)
        with dying_after_the_commit(dies):
            for row in pick(number, boosts.order_by("id")):
                reactions.unboost(user=self.users[who], status_id=row.boost_of_id or 0)

    @rule(who=people, number=numbers, dies=st.booleans(), bookmarks=st.booleans())
    def like_or_bookmark(self, who: int, number: int, dies: bool, bookmarks: bool) -> None:
        do = reactions.bookmark if bookmarks else reactions.like
        status = self.status_for(who, number)
        with dying_after_the_commit(dies):
            if status:
                do(user=self.users[who], status=status)

    @rule(who=people, number=numbers, dies=st.booleans(), bookmarks=st.booleans())
    def unlike_or_forget(self, who: int, number: int, dies: bool, bookmarks: bool) -> None:
        undo, table = (reactions.unbookmark, Bookmark) if bookmarks else (reactions.unlike, Like)
        rows = table._default_manager.filter(user=self.users[who]).order_by("id")
        with dying_after_the_commit(dies):
            for status_id in pick(number, rows.values_list("status_id", flat=True)):
                undo(user=self.users[who], status_id=status_id)


def _written() -> list[Status]:
    return list(Status.objects.without_boosts().select_related("author").order_by("id"))
