"""A site chooses one color, and everything stays readable."""

import re

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from configuration.accent import (
    BRIGHTEST_DARK_SURFACE,
    DARK_SURFACE,
    NEEDED_CONTRAST,
    WHITE,
    Color,
    check_accent,
    style_sheet,
)

pytestmark = pytest.mark.django_db

GREEN = "#0a7f3f"


def colors(style: str) -> dict[str, tuple[Color, Color]]:
    """Of the light and of the dark theme."""
    found = re.findall(r"--([\w-]+): light-dark\((\S+), (\S+)\);", style)
    return {name: (Color.of(light), Color.of(dark)) for name, light, dark in found}


def test_contrast_is_what_wcag_says() -> None:
    assert Color.of("#000000").contrast_to(WHITE) == pytest.approx(21)
    assert WHITE.contrast_to(Color.of("#767676")) == pytest.approx(4.54, abs=0.01)


@given(st.tuples(*[st.integers(0, 255)] * 3).map(lambda parts: Color(*parts)))
def test_every_color_is_refused_or_readable_in_both_themes(color: Color) -> None:
    if color.contrast_to(WHITE) < NEEDED_CONTRAST:
        with pytest.raises(ValueError, match=f"{color} has a contrast of"):
            check_accent(str(color))
        return
    check_accent(str(color))
    made = colors(style_sheet(str(color)))
    assert made["accent"][0] == color
    for light, dark in (made["accent"], made["accent-strong"]):
        assert light.contrast_to(WHITE) >= NEEDED_CONTRAST
        for surface in (DARK_SURFACE, BRIGHTEST_DARK_SURFACE):
            assert dark.contrast_to(Color.of(surface)) >= NEEDED_CONTRAST
        assert light.contrast_to(made["on-accent"][0]) >= NEEDED_CONTRAST
        assert dark.contrast_to(made["on-accent"][1]) >= NEEDED_CONTRAST


@pytest.mark.parametrize("written", ["red", "#fff", "4f4fc4", "#4f4fc4;", "#gggggg"])
def test_what_is_no_color_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="must look like #4f4fc4"):
        check_accent(written)


def test_the_refusal_says_how_far_off_it_is() -> None:
    with pytest.raises(
        ValueError, match=r"#ff8800 has a contrast of 2\.39 to 1, and 4\.5 is needed"
    ):
        check_accent("#ff8800")


def test_pages_link_a_style_sheet_that_is_kept_for_ever(settings: Settings) -> None:
    settings.ACCENT_COLOR = GREEN
    page = Client().get("/login/").content.decode()
    assert f'content="{GREEN}"' in page
    found = re.search(r'href="(/accent-\w+\.css)"', page)
    assert found
    answer = Client().get(found[1])
    assert answer["Content-Type"] == "text/css; charset=utf-8"
    assert "immutable" in answer["Cache-Control"]
    assert colors(answer.content.decode())["accent"][0] == Color.of(GREEN)
    settings.ACCENT_COLOR = "#4f4fc4"
    assert Client().get(found[1]).status_code == 404
    assert found[1] not in Client().get("/login/").content.decode()


def test_without_a_color_there_is_no_style_sheet() -> None:
    assert b"/accent-" not in Client().get("/login/").content
    assert Client().get("/accent-e3b0c44298fc.css").status_code == 404
