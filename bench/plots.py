"""The plots of docs/benchmarks.md: small, and the same bytes for the same figures."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Figures = dict[str, dict[str, Any]]
Plot = Callable[[Axes, Figures], None]

STYLE: Any = {
    "svg.hashsalt": "socialsite",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.figsize": (6.4, 3.0),
}
OURS, BOOK, RAW = "#1d6fa5", "#c0504d", "#7f7f7f"


def draw_all(measured: dict[str, Figures], folder: Path) -> dict[str, Path]:
    """The image of each benchmark that has one."""
    images = {}
    for name, plot in PLOTS.items():
        if name in measured:
            images[name] = _draw(plot, measured[name], folder / f"bench-{name}.svg")
    return images


def _draw(plot: Plot, figures: Figures, path: Path) -> Path:
    with matplotlib.rc_context(STYLE):
        drawing = Figure(layout="constrained")
        plot(drawing.add_subplot(), figures)
        drawing.savefig(path, metadata={"Date": None})
    return path


def fan_out(axes: Axes, figures: Figures) -> None:
    book, raw = (
        _by_size(figures, rf"fan-out to ([\d,]+) homes, to {baseline}")
        for baseline in ("the book's way", "the raw limit")
    )
    _lines(axes, book, "ours", OURS, "ours")
    _lines(axes, book, "baseline", BOOK, "the book's way")
    _lines(axes, raw, "baseline", RAW, "raw limit of the two commands")
    _label(axes, "homes", "deliveries/s", log_y=False)


def posting(axes: Axes, figures: Figures) -> None:
    for way, color in (("never pulled", OURS), ("pulled above 100,000", BOOK)):
        found = _by_size(figures, rf"post_status, ([\d,]+) followers, {way}, p50")
        _lines(axes, found, "ours", color, way)
    _label(axes, "followers", "ms, median", log_y=False)


def home(axes: Axes, figures: Figures) -> None:
    found = _by_size(figures, r"home when following ([\d,]+)")
    _lines(axes, found, "ours", OURS, "ours")
    _lines(axes, found, "baseline", BOOK, "SQL join")
    _label(axes, "people followed", "reads/s", log_y=True)


def memory(axes: Axes, figures: Figures) -> None:
    _bars(axes, figures, "bytes")


def structures(axes: Axes, figures: Figures) -> None:
    found = {
        name.removeprefix("deliveries: "): figure
        for name, figure in figures.items()
        if name.startswith("deliveries: ")
    }
    names = list(found)[::-1]
    axes.barh(names, [found[name]["ours"] for name in names], color=OURS)
    axes.ticklabel_format(axis="x", style="sci", scilimits=(3, 3))
    axes.set_xlabel("deliveries/s of Redis' time")


def growth(axes: Axes, figures: Figures) -> None:
    colors = iter((OURS, BOOK, RAW, "#6a994e"))
    for name, figure in figures.items():
        if name.startswith("growth exponent: "):
            question = name.removeprefix("growth exponent: ").removesuffix(" n")
            found = _by_size(figures, rf"{re.escape(question)} ([\d,]+)")
            label = f"{question.rstrip(':')} ({figure['ours']:.2f})"
            _lines(axes, found, "ours", next(colors), label)
    _label(axes, "size (in brackets: the fitted exponent)", "µs, median", log_y=True)


PLOTS: dict[str, Plot] = {
    "fan_out": fan_out,
    "posting": posting,
    "home": home,
    "memory": memory,
    "structures": structures,
    "growth": growth,
}


def _by_size(figures: Figures, pattern: str) -> dict[int, dict[str, Any]]:
    matches = ((re.fullmatch(pattern, name), figure) for name, figure in figures.items())
    return {int(match[1].replace(",", "")): figure for match, figure in matches if match}


def _lines(axes: Axes, found: dict[int, dict[str, Any]], side: str, color: str, label: str) -> None:
    values = [figure[side] for figure in found.values()]
    axes.plot(list(found), values, marker="o", color=color, label=label)


def _label(axes: Axes, x: str, y: str, *, log_y: bool) -> None:
    axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    _legend(axes)


def _bars(axes: Axes, figures: Figures, unit: str) -> None:
    places = range(len(figures))
    for shift, side, color in ((0.2, "ours", OURS), (-0.2, "baseline", BOOK)):
        values = [figure[side] for figure in figures.values()]
        label = "ours" if side == "ours" else "the book's structures"
        axes.barh([place + shift for place in places], values, 0.4, color=color, label=label)
    axes.set_yticks(list(places), list(figures))
    # From ten bytes for an entry to a hundred thousand for a thread.
    axes.set_xscale("log")
    axes.set_xlabel(unit)
    _legend(axes)


def _legend(axes: Axes) -> None:
    """Above the plot, where it covers nothing."""
    columns = 2 if len(axes.get_legend_handles_labels()[1]) > 3 else 3
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=columns)
