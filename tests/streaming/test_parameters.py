import pytest

from streaming.asked.matching import Box
from streaming.asked.parameters import read_filter, read_sample, read_wishes
from tests.cast import make_user
from users.models import User
from web.refusals import Refusal


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "at least one of track, follow and locations"),
        ({"track": " , ,"}, "at least one of track, follow and locations"),
        ({"track": "é" * 31}, "has 62 bytes; 60 are allowed"),
        ({"track": "tea,\u200b\ufe0f"}, "nothing to look for in '\\\\u200b"),
        ({"follow": "alice,nobody,99"}, "follow: there is no user nobody, 99"),
        ({"follow": "9" * 30}, "there is no user 999"),
        ({"locations": "1,2,3"}, "groups of four"),
        ({"locations": "1,2,three,4"}, "'three' is not a number"),
        ({"locations": "nan,2,3,4"}, "'nan' is not a number"),
        ({"locations": "20,40,10,50"}, "20,40,10,50 is upside down"),
        ({"locations": "-181,0,0,10"}, "leaves ±180 degrees"),
    ],
)
def test_a_wrong_filter_is_406(alice: User, asked: dict[str, str], said: str) -> None:
    with pytest.raises(Refusal, match=said) as refusal:
        read_filter(asked)
    assert refusal.value.status == 406


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"track": ",".join(f"word{n}" for n in range(401))}, "401 phrases; 400 are allowed"),
        ({"follow": ",".join(map(str, range(5_001)))}, "5001 users; 5000 are allowed"),
        ({"locations": ",".join(["0,0,1,1"] * 26)}, "26 boxes; 25 are allowed"),
    ],
    ids=["phrases", "users", "boxes"],
)
def test_too_many_values_are_413(db: None, asked: dict[str, str], said: str) -> None:
    with pytest.raises(Refusal, match=said) as refusal:
        read_filter(asked)
    assert refusal.value.status == 413


def test_as_many_values_as_allowed_are_taken(db: None) -> None:
    phrases = [f"{'é' * 27}{n}" for n in range(400)]
    wanted = read_filter({"track": ",".join(phrases), "locations": ",".join(["0,0,1,1"] * 25)})
    assert len(wanted.track) == 400
    assert wanted.boxes == {Box(0, 0, 1, 1)}


def test_users_are_given_by_id_or_by_name(alice: User) -> None:
    bob = make_user("Bob")
    wanted = read_filter({"follow": f"{alice.pk}, @bob"})
    assert wanted.follow == {alice.pk, bob.pk}


@pytest.mark.parametrize("percent", ["0", "101", "-1", "ten"])
def test_a_sample_has_1_to_100_percent(percent: str) -> None:
    with pytest.raises(Refusal, match="a number from 1 to 100"):
        read_sample({"percent": percent})


def test_a_sample_has_10_percent_unless_asked() -> None:
    assert read_sample({}).percent == 10


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"delimited": "newline"}, "delimited can only be length"),
        ({"stall_warnings": "maybe"}, "must be true or false"),
    ],
)
def test_wrong_wishes_are_406(asked: dict[str, str], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        read_wishes(asked)
