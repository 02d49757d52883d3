"""People for whom somebody types a beginning, and the lists of them in Redis."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db.models import Count
from django.db.models.functions import Left, Length

from redistools import keys
from users.models import NameWord, User
from users.names.folding import MAX_WORD
from users.names.index import matching
from users.names.models import Source

from .lists import Lists
from .ranking import Pairs, Ranking


class PeopleByFollowers(Ranking):
    """Neither suspended nor silenced ones."""

    id, count, longest = "user_id", "user__followers_count", MAX_WORD

    def ids(self, terms: Sequence[str], limit: int) -> list[int]:
        """As a list: asked for a few people in one query, PostgreSQL may read all accounts."""
        return list(matching(terms).values_list("user_id", flat=True).distinct()[:limit])

    def offered(self, terms: Sequence[str]) -> Pairs:
        """Distinct: a name may have several words with this beginning."""
        rows = matching(terms).filter(user__is_active=True, user__is_silenced=False)
        return rows.values_list(self.id, self.count).distinct()

    def counts_of(self, ids: Collection[int]) -> dict[int, int]:
        rows = User.objects.filter(pk__in=ids, is_active=True, is_silenced=False)
        return dict(rows.values_list("pk", "followers_count"))

    def words_of(self, ids: Collection[int]) -> dict[int, frozenset[str]]:
        """By the index of users: asked for names alone, SQLite reads those of everybody."""
        rows = NameWord.objects.filter(user_id__in=ids).values_list("user_id", "word", "source")
        words = defaultdict[int, set[str]](set)
        for user_id, word, source in rows:
            if source == Source.NAME:
                words[user_id].add(word)
        return {user_id: frozenset(some) for user_id, some in words.items()}

    def shared(self, length: int, *, by: int) -> set[str]:
        rows = NameWord.objects.alias(length=Length("word")).filter(
            source=Source.NAME, length__gte=length
        )
        offered = rows.filter(user__is_active=True, user__is_silenced=False)
        counted = offered.values(beginning=Left("word", length)).annotate(
            n=Count("user", distinct=True)
        )
        return set(counted.filter(n__gt=by).values_list("beginning", flat=True))


NAMES = Lists(keys.names, keys.all_names, PeopleByFollowers())
