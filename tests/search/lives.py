"""What happens on a searched site, at random: people post, edit, hide, meet, and are judged."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle

from hypothesis import strategies as st

from redistools.client import get_client
from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.models import Block
from relations.services import follow, unfollow
from statuses.models import Status
from statuses.reactions.services import bookmark, like
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from tests.redis_keys import keys_of_the_test
from tests.search.finding import index_all
from tests.search.windows import keep_all
from users.models import User
from users.services import change_privacy, restore, silence, suspend, unsilence

NAMES = ("ann", "ben", "cem")
# What the end of a story is about: the first only posts before, the second only reads.
AUTHOR, READER = "dan", "eve"
EVERYBODY = (*NAMES, AUTHOR, READER)

WORDS = [
    *("tea", "Tea", "TEAPOT", "café", "cafe", "it's", "don't", "a_b", "10,5", "first", "frost"),
    *("#tea", "#Frost", "#茶", "@ann", "@Ben", "https://example.com/tea?a='b'", "www.example.com"),
    *("咖啡", "一杯咖啡", "咖啡店", "茶", "コーヒー", "커피", "กาแฟ", "ကော်ဖီ", "чай", "शाय"),
    *("\N{HOT BEVERAGE}", "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}", "哈" * 300, "frost " * 90),
]
# Half of the words are one of these, so that most queries find something.
words = st.sampled_from(["tea", "first", "frost", "咖啡", "#tea"]) | st.sampled_from(WORDS)
texts = st.lists(words, min_size=1, max_size=5).map(" ".join).filter(lambda it: len(it) <= 480)
two_words = st.lists(st.sampled_from(WORDS[:-2]), min_size=2, max_size=3).map(" ".join)
people = st.sampled_from(NAMES)
which = st.integers(0, 20)


@dataclass
class Site:
    people: dict[str, User]

    def named(self, text: str) -> str:
        """With the names that people have on this site."""
        return text.replace("@ann", f"@{self.people['ann'].username}")

    def status(self, number: int) -> Status | None:
        alive = list(Status.objects.order_by("pk"))
        return alive[number % len(alive)] if alive else None


Step = tuple[Callable[..., None], tuple[object, ...]]


def post(site: Site, who: str, text: str, visibility: int, language: str, answers: int) -> None:
    answered = site.status(answers) if answers % 3 == 0 else None
    post_status(
        author=site.people[who],
        text=site.named(text),
        visibility=visibility,
        language=language,
        reply_to=answered.pk if answered and answered.visibility == 0 else None,
    )


def edit(site: Site, number: int, text: str) -> None:
    if status := site.status(number):
        edit_status(status=status, by=status.author, text=site.named(text))


def delete(site: Site, number: int) -> None:
    if status := site.status(number):
        delete_status(status=status, by=status.author)


def keep(site: Site, who: str, number: int) -> None:
    if status := site.status(number):
        bookmark(user=site.people[who], status=find_statuses([status.pk])[status.pk])


def like_it(site: Site, who: str, number: int) -> None:
    if status := site.status(number):
        like(user=site.people[who], status=find_statuses([status.pk])[status.pk])


def choose(site: Site, who: str, is_private: bool, searchable: bool) -> None:
    change_privacy(
        user=User.objects.get(pk=site.people[who].pk),
        is_private=is_private,
        default_visibility=0,
        posts_are_searchable=searchable,
    )


def judge(site: Site, who: str, number: int) -> None:
    (suspend, restore, silence, unsilence)[number % 4](
        user=User.objects.get(username=site.people[who].username)
    )


def meet(site: Site, who: str, whom: str, number: int) -> None:
    one, other = site.people[who], site.people[whom]
    if one == other:
        return
    match number % 5:
        case 0:
            blocks_and_mutes.block(blocker=one, blocked=other)
        case 1:
            blocks_and_mutes.unblock(blocker=one, blocked=other)
        case 2:
            blocks_and_mutes.mute(user=one, muted=other)
        case 3:
            unfollow(follower=one, followee=other)
        case _ if not Block.objects.filter(blocker__in=[one, other]).exists():
            follow(follower=one, followee=other)


def index(_site: Site) -> None:
    index_all()


def keep_window(_site: Site) -> None:
    """Fills it, and puts right what was noticed."""
    keep_all()


def lose(_site: Site, number: int) -> None:
    """A key of the window."""
    if held := sorted(keys_of_the_test("search:*")):
        get_client().delete(held[number * 7 % len(held)])


visibilities = st.sampled_from([0, 0, 0, 0, 1, 2, 3])
languages = st.sampled_from(["en", "zh", ""])
steps = st.one_of(
    *[st.tuples(st.just(post), st.tuples(people, texts, visibilities, languages, which))] * 2,
    st.tuples(st.just(edit), st.tuples(which, texts)),
    st.tuples(st.just(delete), st.tuples(which)),
    st.tuples(st.just(keep), st.tuples(people, which)),
    st.tuples(st.just(like_it), st.tuples(people, which)),
    *[st.tuples(st.just(choose), st.tuples(people, st.booleans(), st.booleans()))] * 2,
    *[st.tuples(st.just(judge), st.tuples(people, which))] * 2,
    *[st.tuples(st.just(meet), st.tuples(people, people, which))] * 3,
    st.tuples(st.just(index), st.tuples()),
    st.tuples(st.just(keep_window), st.tuples()),
    st.tuples(st.just(lose), st.tuples(which)),
)

End = Callable[[Site, str], None]


def hide(site: Site, _reader: str) -> None:
    choose(site, AUTHOR, is_private=False, searchable=False)


def lock(site: Site, _reader: str) -> None:
    choose(site, AUTHOR, is_private=True, searchable=True)


def mute(site: Site, reader: str) -> None:
    blocks_and_mutes.mute(user=site.people[reader], muted=site.people[AUTHOR])


def block(site: Site, reader: str) -> None:
    blocks_and_mutes.block(blocker=site.people[AUTHOR], blocked=site.people[reader])


def suspend_author(site: Site, _reader: str) -> None:
    judge(site, AUTHOR, 0)


def silence_author(site: Site, _reader: str) -> None:
    judge(site, AUTHOR, 2)


def nothing(_site: Site, _reader: str) -> None:
    pass


# One story ends with each, and starts over.
ENDS: list[End] = [nothing, mute, hide, block, lock, suspend_author, silence_author]
OF_THE_READER = (mute, block)
ends = cycle(ENDS)
