"""Writes an export as it goes along, so that no more than a few hundred rows are in memory."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import get_template, render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext

from configuration.current import site

from ..models import User
from .account import pictures
from .register import AT_ONCE, Part, Row, parts

Alive = Callable[[], object]


def write(file: IO[bytes], user: User, *, part_done: Callable[[int], object], alive: Alive) -> None:
    """A zip with each part as JSON and as HTML, and the pictures.

    Calls `part_done` with how many parts are written, and `alive` every few hundred rows.
    """
    language = translation.override(user.language or settings.LANGUAGE_CODE)
    with language, ZipFile(file, "w", ZIP_DEFLATED) as archive:
        _add(archive, "index.html", [_page("index", user, parts=parts())])
        for number, part in enumerate(parts(), start=1):
            _add(archive, f"{part.name}.json", _json(_counted(part.rows(user), alive)))
            _add(archive, f"{part.name}.html", _html(part, user, _counted(part.rows(user), alive)))
            part_done(number)
        for name, content in pictures(user):
            archive.writestr(name, content, ZIP_STORED)


def _add(archive: ZipFile, name: str, pieces: Iterable[str]) -> None:
    with archive.open(name, "w", force_zip64=True) as entry:
        for piece in pieces:
            entry.write(piece.encode("utf-8", "replace"))


def _counted(rows: Iterable[Row], alive: Alive) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if number % AT_ONCE == 0:
            alive()
        yield row


def _json(rows: Iterable[Row]) -> Iterator[str]:
    before = "[\n"
    for row in rows:
        yield before + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _html(part: Part, user: User, rows: Iterable[Row]) -> Iterator[str]:
    yield _page("part_begin", user, title=part.title)
    template = get_template("users/export/_row.html")
    for row in rows:
        told = {name.replace("_", " "): _readable(value) for name, value in row.items()}
        yield template.render({"row": told})
    yield _page("part_end", user)


def _readable(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: gettext("yes"), False: gettext("no")}[value]
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_readable(inner)}" for name, inner in value.items())
    return "\n".join(map(_readable, value)) if isinstance(value, list) else str(value)


def _page(template: str, user: User, **context: object) -> str:
    about = {"site_name": site().name, "site_url": settings.SITE_URL}
    context |= {"user": user, "now": timezone.now(), **about}
    return render_to_string(f"users/export/{template}.html", context)
