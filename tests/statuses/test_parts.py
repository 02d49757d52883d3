"""A part that an app registers is wherever the status is, without a change anywhere else."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pytest
from django.urls import reverse

from moderation.models import Category, Report
from moderation.reporting import report_status
from statuses import parts, store
from statuses.exporting import statuses as exported
from statuses.models import Status
from statuses.parts import Part, Said, register
from statuses.reactions.services import like
from statuses.reading.shown import ShownStatus
from statuses.selectors import visible_or_404
from statuses.services import edit_status, post_status
from statuses.stored import PART_FIELDS
from streaming.formats import Lines, ServerSent
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.soundness import wrong_with_statuses
from tests.streaming.test_events import newest
from users.models import User


class Mood(Part):
    """Of statuses that shout."""

    fields = ("mood",)

    def __init__(self) -> None:
        self.times_shown = 0

    def read(self, rows: Collection[Status]) -> Mapping[int, Said]:
        return {it.pk: {"mood": "<loud>"} for it in rows if it.text.endswith("!")}

    def html(self, entry: ShownStatus, *, for_member: bool) -> str:
        self.times_shown += 1
        return f'<p class="mood">{entry.status.id}, {self.times_shown}, {for_member}</p>'

    def json(self, said: Said) -> Mapping[str, Any]:
        return {"mood": said.get("mood")}

    def export(self, said: Said) -> Mapping[str, Any]:
        return {"mood_of_it": said.get("mood")}

    def evidence(self, said: Said) -> Mapping[str, str]:
        return {"Mood": said["mood"]} if "mood" in said else {}


@pytest.fixture
def mood() -> Iterator[Mood]:
    part = Mood()
    register(part)
    yield part
    take_out(part)


def take_out(part: Part) -> None:
    parts.PARTS.remove(part)
    PART_FIELDS.difference_update(part.fields)


def shown(viewer: User, name: str, *args: object) -> str:
    return browser_of(viewer).get(reverse(name, args=args)).content.decode()


def test_it_is_on_pages_below_the_text_of_those_that_have_it(
    mood: Mood, alice: User, bob: User
) -> None:
    quiet, loud = (post_status(author=alice, text=text) for text in ("hush", "hey!"))
    pages = [shown(bob, "home"), shown(bob, "profile", "alice")]
    pages.append(shown(bob, "status", "alice", loud.pk))
    for page in pages:
        rest = page.partition("hey!</p>")[2]
        assert rest.strip().startswith(f'<p class="mood">{loud.pk}, ')
        assert f'<p class="mood">{quiet.pk}' not in page
        assert ", True</p>" in rest


def test_it_is_made_anew_where_the_article_is_kept(mood: Mood, alice: User, bob: User) -> None:
    post_status(author=alice, text="hey!")
    first, second = (shown(bob, "home") for _ in range(2))
    assert ", 1, True</p>" not in second
    assert f", {mood.times_shown}, True</p>" in second
    assert f", {mood.times_shown}, True</p>" not in first


def test_a_warning_covers_it(mood: Mood, alice: User, bob: User) -> None:
    post_status(author=alice, text="hey!", warning="noise")
    _, _, covered = shown(bob, "home").partition('<details class="cw">')
    assert 'class="mood"' in covered.partition("</details>")[0]


def test_streams_have_it(mood: Mood, alice: User) -> None:
    loud = post_status(author=alice, text="hey!")
    assert '"mood":"<loud>"' in Lines().event(newest()).decode()
    assert f'<p class="mood">{loud.pk}, 1, False</p>' in ServerSent("en").event(newest()).decode()
    post_status(author=alice, text="hush")
    assert '"mood":null' in Lines().event(newest()).decode()
    assert "mood" not in ServerSent("en").event(newest()).decode()


def test_feeds_and_embeds_have_it(mood: Mood, alice: User, bob: User) -> None:
    loud = post_status(author=alice, text="hey!")
    assert f'<p class="mood">{loud.pk}, ' in shown(bob, "embed", "alice", loud.pk)
    assert f'class="mood"&gt;{loud.pk}, ' in shown(bob, "profile_feed", "alice")


def test_the_export_has_it_and_what_it_was_before(mood: Mood, alice: User) -> None:
    loud = post_status(author=alice, text="hey!")
    edit_status(status=loud, by=alice, text="hush")
    (row,) = exported(alice)
    assert row["mood_of_it"] is None
    assert [it["mood_of_it"] for it in row["earlier_versions"]] == ["<loud>"]


def test_moderators_see_it_as_it_was(mood: Mood, alice: User, bob: User) -> None:
    loud = post_status(author=alice, text="hey!")
    seen = visible_or_404(loud.pk, viewer=bob)
    report_status(reporter=bob, status=seen, category=Category.SPAM, words="")
    edit_status(status=loud, by=alice, text="hush")
    report_status(reporter=make_user("dave"), status=seen, category=Category.SPAM, words="")
    first, second = Report.objects.order_by("pk")
    assert first.evidence["parts"] == {"Mood": "<loud>"}
    assert second.evidence["parts"] == {}
    assert [it["parts"] for it in second.evidence["versions"]] == [{"Mood": "<loud>"}]
    admin = make_user("root", is_staff=True, is_superuser=True)
    page = " ".join(shown(admin, "admin:moderation_report_change", first.pk).split())
    assert '<dt>Mood</dt> <dd dir="auto">&lt;loud&gt;</dd>' in page
    assert "Mood: &lt;loud&gt;" in shown(admin, "admin:moderation_report_change", second.pk)


def test_the_history_has_it_where_it_was(mood: Mood, alice: User, bob: User) -> None:
    loud = post_status(author=alice, text="hey!")
    edit_status(status=loud, by=alice, text="hush")
    page = shown(bob, "history", "alice", loud.pk)
    assert page.count('class="mood"') == 1
    assert 'class="mood"' in page.partition("hey!</p>")[2]
    assert 'class="mood"' not in shown(bob, "home")


def test_the_copy_in_redis_follows_sql(mood: Mood, alice: User, bob: User) -> None:
    loud = post_status(author=alice, text="hey!")
    like(user=bob, status=visible_or_404(loud.pk, viewer=bob))
    assert store.read_statuses([loud.pk])[loud.pk].parts == (("mood", "<loud>"),)
    drain()
    assert wrong_with_statuses([loud.pk]) == []
    edit_status(status=loud, by=alice, text="hush")
    drain()
    assert store.read_statuses([loud.pk])[loud.pk].parts == ()
    assert wrong_with_statuses([loud.pk]) == []


def test_what_a_part_left_behind_is_ignored_once_it_is_gone(alice: User, bob: User) -> None:
    part = Mood()
    register(part)
    post_status(author=alice, text="hey!")
    take_out(part)
    page = shown(bob, "home")
    assert "hey!" in page
    assert "mood" not in page


@pytest.mark.parametrize("field", ["text", "likes", "lat"])
def test_no_part_takes_the_field_of_another(field: str) -> None:
    part = Mood()
    part.fields = (field,)
    with pytest.raises(ValueError, match=f"already: {field}"):
        register(part)
