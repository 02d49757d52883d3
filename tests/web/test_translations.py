"""Everything that people read can be translated, and is."""

import io
from gettext import GNUTranslations
from pathlib import Path
from typing import Any

import pytest
from babel.messages.mofile import write_mo

from tests.web.bare_words import bare_words
from translating import catalogs
from translating.finding import (
    NotALiteral,
    Words,
    all_words,
    in_code,
    in_template,
    name_of,
    template_files,
)

locales = pytest.mark.parametrize("locale", catalogs.locales())


@locales
def test_every_text_is_translated_and_keeps_its_placeholders(locale: str) -> None:
    assert list(catalogs.complaints(catalogs.read(locale), set(all_words()))) == []


@locales
def test_the_compiled_catalog_says_what_the_readable_one_says(locale: str) -> None:
    """`make messages` writes both."""
    made = io.BytesIO()
    write_mo(made, catalogs.read(locale))
    compiled = catalogs.path_of(locale).with_suffix(".mo").read_bytes()
    assert texts_in(compiled) == texts_in(made.getvalue())


def texts_in(compiled: bytes) -> dict[Any, str]:
    loaded: Any = GNUTranslations(io.BytesIO(compiled))
    texts: dict[Any, str] = loaded._catalog
    return {key: text for key, text in texts.items() if key}


def test_templates_have_no_words_that_nobody_can_translate() -> None:
    names = {name_of(path): path for path in template_files()}
    found = {name: words for name in names if (words := bare_words(names[name]))}
    assert found == {}


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("<p>Hello {{ name }}</p>", ["Hello"]),
        ('<p>{% translate "Hello" %}</p>', []),
        ("{% blocktranslate %}Hello {{ name }}{% endblocktranslate %} there", ["there"]),
        ('<a title="Go home">{% translate "Home" %}</a>', ["Go", "home"]),
        ('<img alt="{% translate "A cat" %}">', []),
        ('<a href="/home/" class="button" aria-current="page">·</a>', []),
        ("{% comment %}Not for readers{% endcomment %}{# nor this #}", []),
        ('{{ name|default:"nobody" }}', ["nobody"]),
        ('{{ name|default:_("nobody") }}', []),
        ("item{{ count|pluralize }}", ["item", "pluralize"]),
        ('{{ now|date:"j F" }}{{ now|date:"DATE_FORMAT" }}{{ now|date:"c" }}', ["date:j F"]),
        (
            '{% blocktranslate with day=now|date:"j F" %}{{ day }}{% endblocktranslate %}',
            ["date:j F"],
        ),
        ('{% include "x.html" with title="Good day" %}', ["Good", "day"]),
        ("{% block main_class %}wide{% endblock %}&nbsp;&hellip; 5 %", []),
        ("<style>p { color: red }</style>", []),
    ],
)
def test_the_scanner_finds_bare_words(tmp_path: Path, template: str, words: list[str]) -> None:
    file = tmp_path / "page.html"
    file.write_text(template)
    assert bare_words(file) == words


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ('{% translate "100 %" %}', Words("100 %%")),
        ('{% translate "May" context "month" %}', Words("May", context="month")),
        (
            "{% blocktranslate trimmed with name=user.name %}\n  Hello\n  {{ name }}\n"
            "{% endblocktranslate %}",
            Words("Hello %(name)s"),
        ),
        (
            "{% blocktranslate count n=n %}{{ n }} post{% plural %}{{ n }} posts"
            "{% endblocktranslate %}",
            Words("%(n)s post", "%(n)s posts"),
        ),
        ('{% include "x.html" with title=_("Home") %}', Words("Home")),
        ('{% if x %}{% block y %}{% translate "deep" %}{% endblock %}{% endif %}', Words("deep")),
    ],
)
def test_what_a_template_looks_up_is_found(tmp_path: Path, template: str, words: Words) -> None:
    file = tmp_path / "page.html"
    file.write_text("{% load i18n %}" + template)
    assert list(in_template(file)) == [words]


def test_what_code_looks_up_is_found(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text('_("a" "b"); x.ngettext("c", "d", 2); pgettext("e", "f"); print("g")')
    assert list(in_code(file)) == [Words("ab"), Words("c", "d"), Words("f", context="e")]


def test_code_that_hides_its_text_from_translators_is_refused(
    monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setattr("translating.finding.ROOT", tmp_path)
    file = tmp_path / "code.py"
    file.write_text('gettext(f"{number} posts")')
    with pytest.raises(NotALiteral, match=r"code\.py:1"):
        list(in_code(file))


@pytest.mark.parametrize(
    ("translation", "complaint"),
    [
        ("", "not translated: 'Hello %(name)s'"),
        ("你好", "other placeholders in the translation of 'Hello %(name)s'"),
        ("你好 %(name)s", None),
    ],
)
def test_a_catalog_with_holes_is_noticed(translation: str, complaint: str | None) -> None:
    catalog = catalogs._empty("zh_Hans")
    catalog.add("Hello %(name)s", translation)
    found = list(catalogs.complaints(catalog, {Words("Hello %(name)s")}))
    assert found == ([complaint] if complaint else [])
