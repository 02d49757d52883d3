"""The files in `locale/`: `.po` for translators, `.mo` for the site."""

import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation import to_locale

from .finding import ROOT, Words, all_words

LINE = 100
_placeholder = re.compile(r"%\((\w+)\)[a-z]|\{(\w*)\}|[\[\]]")


def locales() -> list[str]:
    """Those that need a catalog: the code is written in the site's own language."""
    return [to_locale(code) for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def path_of(locale: str) -> Path:
    return ROOT / "locale" / locale / "LC_MESSAGES" / "django.po"


def read(locale: str) -> Catalog:
    path = path_of(locale)
    if not path.exists():
        return _empty(locale)
    with path.open("rb") as file:
        return read_po(file, locale=locale)


def updated(locale: str) -> Catalog:
    known, made = read(locale), _empty(locale)
    made.creation_date = made.revision_date = known.creation_date
    for words, files in sorted(all_words().items()):
        ids = (words.text, words.plural) if words.plural else words.text
        message = known.get(words.text, words.context or None)
        made.add(
            ids,
            string=message.string if message and not message.fuzzy else None,
            locations=[(file, 0) for file in sorted(files)],
            context=words.context or None,
        )
    return made


def _empty(locale: str) -> Catalog:
    return Catalog(
        locale=locale,
        fuzzy=False,
        header_comment=f"# {locale}. docs/translating.md has the glossary.",
        project="Socialsite",
        version="1",
        msgid_bugs_address="-",
        last_translator="-",
        language_team=locale,
    )


def write(locale: str, catalog: Catalog) -> None:
    path = path_of(locale)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=LINE, sort_by_file=True, include_lineno=False)
    with path.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalog)


def complaints(catalog: Catalog, wanted: set[Words]) -> Iterator[str]:
    for words in sorted(wanted):
        message = catalog.get(words.text, words.context or None)
        if message is None or message.fuzzy or not all(_strings(message)):
            yield f"not translated: {words.text!r}"
        elif not _keeps_placeholders(words, message):
            yield f"other placeholders in the translation of {words.text!r}"


def _strings(message: Message) -> tuple[str, ...]:
    string = message.string
    return (string,) if isinstance(string, str) else tuple(string or [""])


def _keeps_placeholders(words: Words, message: Message) -> bool:
    """A language without a plural has one form for both."""
    expected = placeholders(words.plural or words.text)
    return all(placeholders(string) == expected for string in _strings(message))


def placeholders(text: str) -> set[str]:
    return {match[0] for match in _placeholder.finditer(text)}
