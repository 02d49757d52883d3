"""`python -m bench.document` writes docs/benchmarks.md and its plots from var/bench/*.json.

What people wrote between the two markers stays as it is.
"""

import ast
import json
from pathlib import Path
from typing import Any

from bench import machine
from bench.__main__ import NAMES
from bench.report import FOLDER, written

PAGE = Path("docs/benchmarks.md")
IMAGES = Path("docs/images")
BEGIN, END = "<!-- written by hand: begin -->", "<!-- written by hand: end -->"

INTRODUCTION = """\
# Benchmarks

`make bench` measures everything in under ten minutes and writes this page; with
`NAME=fan_out` it measures one question, and writes the page if the others have been measured too.
Every figure stands beside a baseline that was measured in the same run, turn by turn, so the
**ratio** (ours by the baseline) means something on any machine; absolute figures are those of the
machine below. Rates are the best of several rounds, over HTTP the median;
times are percentiles. What falls short is marked **short**.

"The book's way" is the social network that books on Redis teach, rewritten in `bench/book.py`:
sorted sets, the client does the work, Redis is the only store.
"""

Figures = dict[str, dict[str, Any]]
Measured = dict[str, Figures]


def main() -> None:
    measured = read_figures(FOLDER)
    if missing := [name for name in NAMES if name not in measured]:
        # Half a page would wipe out what others measured.
        print(f"{PAGE} stays as it is: {', '.join(missing)} were not measured here (`make bench`)")
        return
    write_page(measured)
    print(f"{PAGE} is written from {', '.join(measured)}")


def write_page(measured: Measured) -> None:
    from bench import plots  # whose matplotlib takes longer to import than all the rest

    IMAGES.mkdir(parents=True, exist_ok=True)
    images = plots.draw_all(measured, IMAGES)
    before = PAGE.read_text() if PAGE.exists() else ""
    PAGE.write_text(page(measured, images, hand_written(before)))


def read_figures(folder: Path) -> Measured:
    files = {name: folder / f"{name}.json" for name in NAMES}
    return {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}


def page(measured: Measured, images: dict[str, Path], findings: str) -> str:
    parts = [
        INTRODUCTION,
        f"Measured on {machine.description()}.\n",
        "## What it must show\n",
        targets(measured),
        "## What we found and changed\n",
        f"{BEGIN}\n{findings}\n{END}\n",
    ]
    for name, figures in measured.items():
        parts += section(name, figures, images.get(name))
    return "\n".join(parts)


def hand_written(text: str) -> str:
    if BEGIN not in text:
        return ""
    return text.split(BEGIN)[1].split(END)[0].strip("\n")


def targets(measured: Measured) -> str:
    rows = ["| figure | measured | needed | |", "|---|--:|--:|---|"]
    for figures in measured.values():
        for name, figure in figures.items():
            if target := figure.get("target"):
                value = _cell(figure["ratio"], "x")
                if target["of"] == "ours":
                    value = _cell(figure["ours"], f" {figure['unit']}")
                verdict = "ok" if figure["met"] else "**short**"
                rows.append(
                    f"| {name} | {value} | {target['kind']} {target['bound']:g} | {verdict} |"
                )
    return "\n".join(rows) + "\n"


def section(name: str, figures: Figures, image: Path | None) -> list[str]:
    parts = [f"## {name.replace('_', ' ').capitalize()}\n", f"{docstring(name)}\n"]
    if image:
        parts.append(f"![{name.replace('_', ' ')}]({image.relative_to(PAGE.parent)})\n")
    rows = [
        "| figure | ours | baseline | ratio | unit | baseline is |",
        "|---|--:|--:|--:|---|---|",
    ]
    for metric, figure in figures.items():
        numbers = (figure["ours"], figure["baseline"], figure["ratio"])
        cells = " | ".join(_cell(number) for number in numbers)
        rows.append(f"| {metric} | {cells} | {figure['unit']} | {figure['baseline_is']} |")
    return [*parts, "\n".join(rows) + "\n"]


def docstring(name: str) -> str:
    """The question that the script asks; read, not imported, since importing it needs a site."""
    source = (Path(__file__).parent / f"{name}.py").read_text()
    return ast.get_docstring(ast.parse(source)) or ""


def _cell(number: float | None, unit: str = "") -> str:
    return "-" if number is None else f"{written(number)}{unit}"


if __name__ == "__main__":
    main()
