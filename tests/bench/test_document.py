"""The page that is made from the figures."""

from pathlib import Path

import pytest

from bench import document
from bench.report import Figure, Target, write

FIGURES = {
    "fan-out to 10 homes, to the book's way": Figure(
        3, 2, "deliveries/s", "the book", target=Target("at least", 3.0)
    ),
    "fan-out to 10 homes, to the raw limit": Figure(3, 2, "deliveries/s", "raw"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(document, "FOLDER", tmp_path)
    monkeypatch.setattr(document, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(document, "IMAGES", tmp_path / "images")
    return tmp_path


def write_page(folder: Path) -> None:
    document.write_page(document.read_figures(folder))


def test_one_benchmark_alone_leaves_the_page_as_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document.PAGE.write_text("what others measured")
    write("fan_out", FIGURES, folder)
    document.main()
    assert document.PAGE.read_text() == "what others measured"
    assert "stays as it is: fan_out_cluster, boosts, posting" in capsys.readouterr().out


def test_all_of_them_write_it_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "NAMES", ("fan_out", "follow"))
    for name in ("fan_out", "follow"):
        document.PAGE.write_text("what was measured before")
        write(name, FIGURES, folder)
        document.main()
    assert "fan-out to 10 homes, to the raw limit" in document.PAGE.read_text()
    assert "what was measured before" not in document.PAGE.read_text()


def test_what_falls_short_is_said_in_the_page(folder: Path) -> None:
    write("fan_out", FIGURES, folder)
    write_page(folder)
    assert "| 1.50x | at least 3 | **short** |" in document.PAGE.read_text()


def test_what_people_wrote_survives_a_new_run(folder: Path) -> None:
    write_page(folder)
    written = document.PAGE.read_text().replace(document.BEGIN, f"{document.BEGIN}\nWe found it.")
    document.PAGE.write_text(written)
    write("fan_out", FIGURES, folder)
    write_page(folder)
    assert "We found it." in document.PAGE.read_text()
    assert "fan-out to 10 homes" in document.PAGE.read_text()


def test_the_same_figures_give_the_same_bytes(folder: Path) -> None:
    write("fan_out", FIGURES, folder)
    pages = []
    for _ in range(2):
        write_page(folder)
        image = folder / "images" / "bench-fan_out.svg"
        pages.append((document.PAGE.read_bytes(), image.read_bytes()))
    assert pages[0] == pages[1]
