"""A file with a mistake is refused with its line, and changes nothing."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from mmdb_writer import MMDBWriter
from netaddr import IPSet

from insight.places.files import FileError, Name, contents, read
from insight.places.models import Place, PlacesFile
from tests.insight.places.conftest import BERLIN, DUNEDIN, FILE, FRANCE, MUNICH, NOWHERE
from tests.insight.places.looking import where
from tests.outages import redis_away

Written = Callable[[bytes], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(content: bytes) -> Path:
        path = tmp_path / "file"
        path.write_bytes(content)
        return path

    return write


def record(country: str, region: str = "", city: str = "", chinese: str = "") -> dict[str, Any]:
    """As MaxMind has it."""
    found: dict[str, Any] = {"country": {"iso_code": country, "names": {"en": "…"}}}
    if region:
        found["subdivisions"] = [{"names": {"en": region}}]
    if city:
        found["city"] = {"names": {"en": city} | ({"zh-CN": chinese} if chinese else {})}
    return found


def mmdb(path: Path, records: dict[str, dict[str, Any]], *, version: int = 6) -> Path:
    writer = MMDBWriter(version, "Test", languages=["en"], ipv4_compatible=version == 6)
    for network, held in records.items():
        writer.insert_network(IPSet([network]), held)
    writer.to_db_file(str(path))
    return path


RECORDS = {
    "192.0.2.0/25": record("DE", "Berlin", "Berlin", "柏林"),
    "192.0.2.128/25": record("DE", "Bavaria", "Munich"),
    "198.51.100.0/24": record("FR"),
    "203.0.113.0/24": {"traits": {"is_satellite_provider": True}},
}
NEW_ZEALAND = {"2001:db8::/48": record("NZ", "Otago", "Dunedin")}


@pytest.mark.parametrize(("version", "more"), [(4, {}), (6, NEW_ZEALAND)])
def test_a_database_of_maxmind_says_where_addresses_are(
    places: None, tmp_path: Path, version: int, more: dict[str, Any]
) -> None:
    call_command("load_places", mmdb(tmp_path / "City.mmdb", RECORDS | more, version=version))
    found = [where(it) for it in (BERLIN, MUNICH, FRANCE, NOWHERE, DUNEDIN, "192.0.3.1")]
    dunedin = "Dunedin, Otago, NZ" if more else ""
    assert found == ["Berlin, Berlin, DE", "Munich, Bavaria, DE", "FR", "", dunedin, ""]


def test_what_a_database_of_maxmind_has_is_what_we_read(tmp_path: Path) -> None:
    found = list(read(mmdb(tmp_path / "City.mmdb", RECORDS | NEW_ZEALAND)))
    networks = {(ip_network(it)[0], ip_network(it)[-1]) for it in RECORDS | NEW_ZEALAND}
    assert {(it.first, it.last) for it in found} == networks
    called = contents(found).called
    assert called[Name("DE", "Berlin", "Berlin")] == {"zh-hans": "柏林"}
    assert called[Name("DE", "Bavaria", "Munich")] == {}


def test_a_csv_says_where_addresses_are(places: None) -> None:
    found = [where(it) for it in (BERLIN, MUNICH, FRANCE, NOWHERE, DUNEDIN, "2001:db8:1::1")]
    assert found == [
        "Berlin, Berlin, DE",
        "Munich, Bavaria, DE",
        "FR",
        "",
        "Dunedin, Otago, NZ",
        "",
    ]


def test_a_csv_may_have_headings_and_only_countries(written: Written) -> None:
    path = written(b"first,last,country\n192.0.2.0,192.0.2.9,DE\n\n192.0.2.10,192.0.2.19,FR\n")
    assert [it.name for it in read(path)] == [Name("DE"), Name("FR")]


BAD = {
    b"192.0.2.9,192.0.2.0,DE\n": "line 1: 192.0.2.9 is above 192.0.2.0: the range is reversed",
    b"192.0.2.0,192.0.2.9,DE\n192.0.2.9,192.0.2.20,FR\n": "line 2: 192.0.2.9 is not above",
    b"192.0.2.8,192.0.2.9,DE\n192.0.2.0,192.0.2.7,FR\n": "line 2: .* have to be in order",
    b"2001:db8::,2001:db8::5,DE\n2001:db8::5,2001:db8::6,FR\n": "line 2: .*::5 is not above",
    b"192.0.2.0,2001:db8::,DE\n": "line 1: .* from IPv4 to IPv6",
    b"192.0.2.0,192.0.2.256,DE\n": "line 1: '192.0.2.256' is no address",
    b"192.0.2.0,192.0.2.9,DEU\n": "line 1: 'DEU' is no country, such as DE",
    b"192.0.2.0,192.0.2.9\n": "line 1 has 2 columns instead of 3 or 5",
    b"192.0.2.0,192.0.2.9,DE\n192.0.2.10,192.0.2.1": "line 2 has no end: the file is truncated",
    b'192.0.2.0,192.0.2.9,DE,"Berlin,Berlin\n': "line 1: unexpected end of data",
    b"192.0.2.0,192.0.2.9,-\n": "no range in it has a country",
    b"": "no range in it has a country",
    b"\x1f\x8b\x08 and so on": r"compressed \(gzip\): unpack it first",
    b"\x89\xff\x00 a picture": "neither a whole database in MaxMind's format nor CSV",
    b"\x00" * 50 + b"\xab\xcd\xefMaxMind.com no more": "damaged",
}


@pytest.mark.parametrize("content", BAD, ids=list(BAD.values()))
def test_a_bad_file_is_refused_and_changes_nothing(
    places: None, written: Written, content: bytes
) -> None:
    before = list(PlacesFile.objects.all()), list(Place.objects.all())
    with pytest.raises(CommandError, match=BAD[content]):
        call_command("load_places", written(content))
    assert (list(PlacesFile.objects.all()), list(Place.objects.all())) == before
    assert where(BERLIN) == "Berlin, Berlin, DE"


def cuts(content: bytes) -> Iterator[bytes]:
    for length in range(1, len(content), 97):
        yield content[:length]


def test_a_truncated_database_is_refused_wherever_it_ends(tmp_path: Path, written: Written) -> None:
    whole = mmdb(tmp_path / "City.mmdb", RECORDS | NEW_ZEALAND).read_bytes()
    for cut in cuts(whole[: whole.rindex(b"MaxMind.com") + 20]):
        with pytest.raises(FileError):
            contents(read(written(cut)))


def test_a_file_that_is_not_there_is_said(places: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nothing\.csv: No such file"):
        call_command("load_places", tmp_path / "nothing.csv")


def test_without_redis_the_file_is_in_sql(
    places: None, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It would start one of its own.
    monkeypatch.setattr("processes.embedded_redis.available", nullcontext)
    with redis_away(), pytest.raises(CommandError, match="is in SQL, but Redis does not answer"):
        call_command("load_places", written(FILE.replace("Munich", "Passau").encode()))
    assert Place.objects.filter(city="Passau").exists()
