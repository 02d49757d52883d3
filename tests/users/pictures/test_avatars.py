"""`{% avatar %}`: a picture, or initials on a colour."""

from dataclasses import replace

import pytest

from users.pictures.initials import initials
from users.store import Person
from users.templatetags.avatars import avatar, avatar_address, header_picture

TOKEN = "0123456789abcdef0123"
MARA = Person(
    id=31,
    username="mara",
    name="Mara Lindqvist",
    bio="",
    signup=0,
    followers=0,
    following=0,
    posts=0,
)
ANA = replace(MARA, avatar=TOKEN)


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Mara Lindqvist", "ML"),
        ("mara", "M"),
        ("Ana María de la Cruz", "AC"),
        ("élodie durand", "ÉD"),
        ("e\u0301lodie durand", "E\u0301D"),
        ("Юрий Петров", "ЮП"),
        ("藤田 大地", "藤"),
        ("김민준", "김"),
        ("نور الدين", "ن"),
        ("«Bob» (he/him)", "BH"),
        ("✨ Sparkle ✨", "S"),
        ("👩‍👩‍👧 👍🏽", "👩‍👩‍👧"),
        ("ßtraße weg", "SW"),
        ("3 Amigos", "3"),
        ("", "X"),
        ("   ", "X"),
    ],
)
def test_initials_are_those_that_people_see(name: str, letters: str) -> None:
    assert initials(name, "x_man") == letters


def test_without_a_picture_there_are_initials_on_a_colour() -> None:
    assert avatar(MARA) == '<span class="avatar hue-7" aria-hidden="true">ML</span>'
    assert 'class="avatar avatar-s hue-7"' in avatar(MARA, "s")
    assert avatar(MARA, href="/@mara/") == (
        '<a class="avatar hue-7" href="/@mara/" tabindex="-1" aria-hidden="true">ML</a>'
    )


def test_cards_get_the_small_picture_and_profiles_the_large_one() -> None:
    small, large = (f"/media/avatars/01/{TOKEN}{ending}" for ending in ("-s.webp", ".webp"))
    assert avatar(ANA) == (
        f'<img class="avatar" src="{small}" alt="" width="44" height="44" loading="lazy">'
    )
    assert f'class="avatar avatar-xl" src="{large}"' in avatar(ANA, "xl")
    assert avatar(ANA, href="/@ana/") == (
        '<a class="avatar" href="/@ana/" tabindex="-1" aria-hidden="true">'
        f'<img src="{small}" alt="" loading="lazy"></a>'
    )


def test_a_name_is_no_markup() -> None:
    assert "<b" not in avatar(replace(MARA, name="<b", username="x"))
    assert "&lt;" in avatar(replace(MARA, name="<", username="x"))


def test_other_sites_get_a_whole_address() -> None:
    assert avatar_address(ANA).endswith(f"/media/avatars/01/{TOKEN}.jpg")
    assert avatar_address(ANA).startswith("http")
    assert avatar_address(MARA) == ""


def test_without_a_header_there_is_nothing() -> None:
    class Account:
        header = ""

    assert header_picture(Account()) == ""
