"""Reads the file that an operator provides: a database in MaxMind's format, or CSV.

Nothing is written here, so a file with a mistake changes nothing.
"""

import csv
import ipaddress
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import maxminddb
from django.conf import settings

from .ranges import FAMILIES, UNKNOWN, Address, Runs, family, span

LONGEST_NAME = 100
# Where databases in MaxMind's format have their description: near the end.
MARK, MARK_WITHIN = b"\xab\xcd\xefMaxMind.com", 128 * 1024
COMPRESSED = {b"\x1f\x8b": "gzip", b"PK": "zip", b"BZ": "bzip2"}
COLUMNS = "first address, last address, country[, region, city]"
NO_COUNTRY = {"", "-", "ZZ"}
# What MaxMind calls the languages of the site.
MAXMIND_LANGUAGES = {"zh-hans": "zh-CN"}


class FileError(Exception):
    """What is wrong with the file, and where: its provider reads it."""


class Name(NamedTuple):
    country: str
    region: str = ""
    city: str = ""

    @property
    def of_country(self) -> "Name":
        return Name(self.country)


class Range(NamedTuple):
    first: Address
    last: Address
    name: Name | None
    called: Mapping[str, str] = {}  # by language


class Contents:
    """Of a file: its runs, with numbers of its own for places, 1 for the first."""

    def __init__(self) -> None:
        self.runs = {it: Runs() for it in FAMILIES}
        self.ranges = 0
        self.names: list[Name] = []
        self.called: dict[Name, Mapping[str, str]] = {}
        # How many addresses each has: an IPv6 network of 48 bits counts as one.
        self.sizes = array("Q")
        self._numbers: dict[Name, int] = {}

    def add(self, it: Range) -> None:
        self.ranges += 1
        first, end = span(it.first, it.last)
        if first >= end or it.name is None:
            return
        number = self._number(it.name, it.called)
        self.runs[family(it.first)].add(first, end, number)
        self.sizes[number - 1] += (end - first) >> (32 if it.first.version == 4 else 16)

    def _number(self, name: Name, called: Mapping[str, str]) -> int:
        if name not in self._numbers:
            if name.city:
                self._number(name.of_country, {})
            self.names.append(name)
            self.sizes.append(0)
            self.called[name] = called
            self._numbers[name] = len(self.names)
        return self._numbers[name]

    def finish(self) -> None:
        for runs in self.runs.values():
            runs.finish()

    def name_of(self, number: int) -> Name | None:
        return None if number == UNKNOWN else self.names[number - 1]


def contents(ranges: Iterable[Range]) -> Contents:
    """Raises FileError if there is no country in it."""
    found = Contents()
    for it in ranges:
        found.add(it)
    found.finish()
    if not found.names:
        raise FileError("no range in it has a country")
    return found


def read(path: Path) -> Iterator[Range]:
    """Raises FileError as soon as something is wrong."""
    try:
        head, tail = _ends(path)
    except OSError as error:
        raise FileError(error.strerror or str(error)) from error
    for beginning, how in COMPRESSED.items():
        if head.startswith(beginning):
            raise FileError(f"it is compressed ({how}): unpack it first")
    return _mmdb(path) if MARK in tail else _csv(path)


def _ends(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb") as file:
        head = file.read(8)
        size = file.seek(0, 2)
        file.seek(max(0, size - MARK_WITHIN))
        return head, file.read()


# MaxMind's format ---------------------------------------------------------------------------------


def _mmdb(path: Path) -> Iterator[Range]:
    try:
        with maxminddb.open_database(path) as reader:
            for network, record in reader:
                name = _name_in(record)
                called = _called(record) if name and name.city else {}
                yield Range(network[0], network[-1], name, called)
    except (maxminddb.InvalidDatabaseError, UnicodeDecodeError, ValueError) as error:
        raise FileError(f"it is damaged ({error})") from error


def _name_in(record: Any) -> Name | None:
    country = _inside(record, "country", "iso_code")
    if not _is_country(country):
        return None
    region = _inside(record, "subdivisions", 0, "names", "en")
    city = _inside(record, "city", "names", "en")
    return Name(country, _line(region) if city else "", _line(city))


def _called(record: Any) -> dict[str, str]:
    named = {
        code: _line(_inside(record, "city", "names", MAXMIND_LANGUAGES.get(code, code)))
        for code, _ in settings.LANGUAGES
        if code != "en"
    }
    return {code: name for code, name in named.items() if name}


def _inside(record: Any, *path: str | int) -> str:
    """The text there, or none: what a database holds is up to its maker."""
    for step in path:
        try:
            record = record[step]
        except (KeyError, IndexError, TypeError):
            return ""
    return record if isinstance(record, str) else ""


# CSV ----------------------------------------------------------------------------------------------


def _csv(path: Path) -> Iterator[Range]:
    """In order, by which ranges that overlap are found."""
    last: dict[int, Address] = {}
    for line, row in _rows(path):
        it = _range(line, row)
        before = last.get(it.first.version)
        if before is not None and int(it.first) <= int(before):
            raise FileError(
                f"line {line}: {it.first} is not above {before}, where the range before it ends: "
                "ranges must not overlap, and have to be in order"
            )
        last[it.first.version] = it.last
        yield it


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Without empty lines and a line of headings."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(_whole_lines(file), strict=True)
        try:
            for row in rows:
                if row and not (rows.line_num == 1 and "country" in row[2:3]):
                    yield rows.line_num, row
        except UnicodeDecodeError as error:
            raise FileError(
                "it is neither a whole database in MaxMind's format nor CSV in UTF-8"
            ) from error
        except csv.Error as error:
            raise FileError(f"line {rows.line_num}: {error}") from error


def _whole_lines(file: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        if not line.endswith(("\n", "\r")):
            raise FileError(f"line {number} has no end: the file is truncated")
        yield line


def _range(line: int, row: Sequence[str]) -> Range:
    if len(row) not in (3, 5):
        raise FileError(f"line {line} has {len(row)} columns instead of 3 or 5: {COLUMNS}")
    first, last = (_address(line, it) for it in row[:2])
    if first.version != last.version:
        raise FileError(f"line {line}: from {first} to {last}, from IPv4 to IPv6")
    if int(first) > int(last):
        raise FileError(f"line {line}: {first} is above {last}: the range is reversed")
    return Range(first, last, _name(line, *row[2:]))


def _address(line: int, text: str) -> Address:
    try:
        return ipaddress.ip_address(text.strip())
    except ValueError as error:
        raise FileError(
            f"line {line}: {text[:50]!r} is no address, such as 192.0.2.1 or 2001:db8::"
        ) from error


def _name(line: int, country: str, region: str = "", city: str = "") -> Name | None:
    if country in NO_COUNTRY:
        return None
    if not _is_country(country):
        raise FileError(f"line {line}: {country[:50]!r} is no country, such as DE")
    return Name(country, _line(region) if city.strip() else "", _line(city))


def _is_country(text: str) -> bool:
    return len(text) == 2 and text.isascii() and text.isupper() and text not in NO_COUNTRY


def _line(text: str) -> str:
    """On one line, without control characters."""
    return " ".join("".join(it for it in text if it.isprintable()).split())[:LONGEST_NAME]
