"""Templates lose the white space that only people need, and nothing else."""

import pytest
from django.conf import settings
from django.template import engines
from django.template.loader import get_template

from web.template_loader import collapsed

TEMPLATES = settings.BASE_DIR / "templates"
# What fits beside another file on a screen.
LONGEST_LINE = 160


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("<ul>\n  <li>\n    a\n  </li>\n</ul>", "<ul><li>a</li></ul>"),
        ("<p>\n  {{ a }}\n  <b>c</b>\n</p>", "<p>{{ a }}\n<b>c</b></p>"),
        ("<a\n   href=''>b</a>  \n\n  <i>c</i>", "<a href=''>b</a>\n<i>c</i>"),
        ('<a class="{% x "y" %}">\n  b\n</a>', '<a class="{% x "y" %}">b</a>'),
        ("<a {% if b > c %}d{% endif %}>\n  e</a>", "<a {% if b > c %}d{% endif %}>e</a>"),
        ('<a b\n   {% if c %}d="e"{% endif %}>f</a>', '<a b {% if c %}d="e"{% endif %}>f</a>'),
        ("<p>\n  <input>\n  a</p>", "<p><input>\na</p>"),
        (
            "<p>\n  {% if x %}\n  <b>a</b>\n  {% endif %}\n</p>",
            "<p>{% if x %}<b>a</b>{% endif %}</p>",
        ),
        ("a\n{% load i18n %}\n{% url 'x' 1 as y %}\nb", "a\n{% load i18n %}{% url 'x' 1 as y %}b"),
        ("<b>a</b>{% endif %}\n<i>b</i>", "<b>a</b>{% endif %}\n<i>b</i>"),
        ("{% block a %}\n  b\n  c · {% endblock %}d", "{% block a %}b\nc · {% endblock %}d"),
        ("{% translate 'a' %}\n<i>b</i>", "{% translate 'a' %}\n<i>b</i>"),
        ("a {# why\n so #}b\n{% comment %}\n c\n{% endcomment %}\nd", "a b\nd"),
        ("<div>\n  <pre>\n    x\n\n    y</pre>\n  z", "<div><pre>\n    x\n\n    y</pre>\nz"),
    ],
)
def test_only_the_white_space_of_the_source_is_collapsed(template: str, expected: str) -> None:
    assert collapsed(template) == expected


def test_what_people_wrote_keeps_its_white_space() -> None:
    template = engines["django"].from_string(collapsed("<p>\n  {{ text }}\n  b\n</p>"))
    assert template.render({"text": "a\n\n  b"}) == "<p>a\n\n  b\nb</p>"


def test_pages_are_made_of_collapsed_templates() -> None:
    template = get_template("statuses/_menu.html")
    source: str = template.template.source  # type: ignore[attr-defined]
    assert "  <li>" in (TEMPLATES / "statuses/_menu.html").read_text()
    assert "  <li>" not in source


def test_templates_are_written_for_people() -> None:
    long = [
        f"{path.relative_to(TEMPLATES)}:{number}"
        for path in TEMPLATES.rglob("*.html")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []
