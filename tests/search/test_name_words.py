"""The index of names is written with the account, and repaired like every copy."""

from itertools import product

import pytest

from tests.cast import make_user
from tests.plans import on_sqlite
from tests.upkeep.test_stores import check
from upkeep import checking
from users.models import NameWord, User
from users.names.index import NAMES, NAMES_AND_BIOS, matching
from users.names.models import Source
from users.services import change_profile, delete_account, sign_up


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


def words(user: User, source: Source = Source.NAME) -> set[str]:
    return set(user.name_words.filter(source=source).values_list("word", flat=True))


def test_who_signs_up_can_be_found(transactional_db: None) -> None:
    user = sign_up(username="Mara_L", email="m@example.com", password="a sound secret", name="Mära")
    assert words(user) == {"mara_l", "mara", "l"}


def test_a_new_name_replaces_the_old_one(alice: User) -> None:
    assert words(alice) == {"alice", "liddell"}
    change_profile(user=alice, name="Alice Pleasance", bio="")
    assert words(alice) == {"alice", "pleasance"}
    change_profile(user=alice, name="Alice Pleasance", bio="Curiouser")
    assert words(alice) == {"alice", "pleasance"}


def test_words_of_a_bio_count_less_than_those_of_a_name(alice: User) -> None:
    change_profile(user=alice, name="Alice Liddell", bio="Liddell by name, Curiouser")
    assert words(alice) == {"alice", "liddell"}
    assert words(alice, Source.BIO) == {"by", "name", "curiouser"}
    change_profile(user=alice, name="Alice Curiouser", bio="Liddell")
    assert words(alice) == {"alice", "curiouser"}
    assert words(alice, Source.BIO) == {"liddell"}
    assert not matching(["lidd"]).exists()
    assert matching(["lidd", "curi"], NAMES_AND_BIOS).exists()


def test_a_deleted_account_leaves_no_words(alice: User) -> None:
    delete_account(user=alice)
    assert not NameWord.objects.exists()


def test_each_term_must_begin_a_word(alice: User, bob: User) -> None:
    assert {it.user for it in matching(["lid", "al"])} == {alice}
    assert not matching(["lid", "bo"]).exists()


@pytest.mark.parametrize("prefix", ["*", "?", "[", "a*", "[a-z]", "%", "_"])
def test_signs_of_patterns_are_only_signs(alice: User, prefix: str) -> None:
    assert not matching([prefix]).exists()


def test_lost_and_wrong_words_are_found_and_repaired(alice: User, bob: User) -> None:
    NameWord.objects.filter(user=alice, word="liddell").delete()
    NameWord.objects.create(user=bob, word="mallory", source=Source.BIO)
    code, output = check()
    assert code == 1
    assert output.count("words of the name") == 2
    assert check("--repair")[0] == 0
    assert check()[0] == 0
    assert (words(alice), words(bob)) == ({"alice", "liddell"}, {"bob"})


@on_sqlite
def test_beginnings_are_found_by_an_index(alice: User) -> None:
    for terms, sources in product((["ali"], ["ali", "lid"]), (NAMES, NAMES_AND_BIOS)):
        plan = matching(terms, sources).values("user_id").explain()
        assert "name_word_beginning (source=? AND word>? AND word<?)" in plan
        assert "SCAN" not in plan


def test_many_accounts_are_written_at_once(transactional_db: None) -> None:
    people = [make_user(f"twin{n}", name="The Same") for n in range(5)]
    assert matching(["same"]).count() == len(people)
