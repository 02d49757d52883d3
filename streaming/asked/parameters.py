"""What a request asks for, or a refusal that says which parameter is wrong and why."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from statuses.words.terms import Phrase, phrase_of
from users.models import User
from users.names import usernames

from .matching import Box, Filter
from .refusal import not_acceptable, shown, too_many_values

MAX_PHRASES, MAX_USERS, MAX_BOXES = 400, 5_000, 25
MAX_PHRASE_BYTES = 60
DEFAULT_PERCENT = 10

Parameters = Mapping[str, str]


@dataclass(frozen=True)
class Wishes:
    is_delimited: bool
    stall_warnings: bool
    since_id: str | None


def read_wishes(parameters: Parameters) -> Wishes:
    delimited = parameters.get("delimited")
    if delimited not in (None, "length"):
        raise not_acceptable(f"delimited can only be length, not {shown(delimited)}")
    return Wishes(
        is_delimited=delimited == "length",
        stall_warnings=_is_true("stall_warnings", parameters),
        since_id=parameters.get("since_id"),
    )


def read_sample(parameters: Parameters) -> Filter:
    text = parameters.get("percent", str(DEFAULT_PERCENT))
    percent = int(text) if _is_number(text, digits=3) else 0
    if not 1 <= percent <= 100:
        raise not_acceptable(f"percent must be a number from 1 to 100, not {shown(text)}")
    return Filter(percent=percent, languages=_languages(parameters))


def read_firehose(parameters: Parameters) -> Filter:
    return Filter(percent=100, languages=_languages(parameters))


def read_filter(parameters: Parameters) -> Filter:
    wanted = Filter(
        track=_track(_values("track", parameters)),
        follow=_follow(_values("follow", parameters)),
        boxes=_boxes(_values("locations", parameters)),
        languages=_languages(parameters),
    )
    if not (wanted.track or wanted.follow or wanted.boxes):
        raise not_acceptable("Give at least one of track, follow and locations")
    return wanted


def _values(name: str, parameters: Parameters) -> list[str]:
    values = (value.strip() for value in parameters.get(name, "").split(","))
    return [value for value in values if value]


def _track(texts: list[str]) -> frozenset[Phrase]:
    if len(texts) > MAX_PHRASES:
        raise too_many_values(f"track has {len(texts)} phrases; {MAX_PHRASES} are allowed")
    for text in texts:
        if (size := len(text.encode())) > MAX_PHRASE_BYTES:
            raise not_acceptable(
                f"track: the phrase {shown(text)} has {size} bytes; {MAX_PHRASE_BYTES} are allowed"
            )
    phrases = {phrase_of(text): text for text in texts}
    if nothing := phrases.get(Phrase()):
        raise not_acceptable(f"track: there is nothing to look for in {shown(nothing)}")
    return frozenset(phrases)


def _follow(texts: list[str]) -> frozenset[int]:
    if len(texts) > MAX_USERS:
        raise too_many_values(f"follow has {len(texts)} users; {MAX_USERS} are allowed")
    ids = {text for text in texts if _is_number(text, digits=18)}
    names = {text.removeprefix("@").lower() for text in texts} - ids
    found = _named({name for name in names if re.fullmatch(usernames.PATTERN, name)})
    known = known_ids({int(text) for text in ids})
    unknown = sorted(names - found.keys()) + sorted(text for text in ids if int(text) not in known)
    if unknown:
        short = [name[: usernames.MAX_LENGTH + 1] for name in unknown[:10]]
        raise not_acceptable(f"follow: there is no user {', '.join(short)}")
    return frozenset(known | {user.pk for user in found.values()})


def _named(names: Collection[str]) -> dict[str, User]:
    """Maps names in lower case to accounts. At most one query."""
    if not names:
        return {}
    found = User.objects.named(names).filter(is_active=True)
    return {user.username.lower(): user for user in found}


def known_ids(user_ids: Collection[int]) -> set[int]:
    """Leaves out suspended accounts. One query."""
    known = User.objects.filter(pk__in=user_ids, is_active=True)
    return set(known.values_list("pk", flat=True))


def _boxes(texts: list[str]) -> frozenset[Box]:
    if len(texts) % 4:
        raise not_acceptable(
            f"locations must be groups of four (sw_lon,sw_lat,ne_lon,ne_lat), not {len(texts)}"
        )
    if len(texts) > 4 * MAX_BOXES:
        raise too_many_values(f"locations has {len(texts) // 4} boxes; {MAX_BOXES} are allowed")
    numbers = [_number(text) for text in texts]
    return frozenset(_box(*numbers[start : start + 4]) for start in range(0, len(numbers), 4))


def _box(west: float, south: float, east: float, north: float) -> Box:
    box = Box(west, south, east, north)
    written = ",".join(f"{number:g}" for number in box)
    if not (
        -180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= 90 and -90 <= north <= 90
    ):
        raise not_acceptable(f"locations: {written} leaves ±180 degrees east or ±90 north")
    if not (west < east and south < north):
        raise not_acceptable(
            f"locations: {written} is upside down; the south-west corner comes first"
        )
    return box


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise not_acceptable(f"locations: {shown(text)} is not a number")
    return number


def _is_number(text: str, *, digits: int) -> bool:
    """Python refuses to read numbers of thousands of digits, and SQL has no room for them."""
    return len(text) <= digits and text.isascii() and text.isdecimal()


def _languages(parameters: Parameters) -> frozenset[str]:
    return frozenset(code.lower() for code in _values("language", parameters))


def _is_true(name: str, parameters: Parameters) -> bool:
    text = parameters.get(name, "false").lower()
    if text not in ("true", "1", "false", "0"):
        raise not_acceptable(f"{name} must be true or false, not {shown(text)}")
    return text in ("true", "1")
