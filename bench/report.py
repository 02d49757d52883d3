"""Figures as a table for people and as JSON for `bench.document` and comparison between runs."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

FOLDER = Path("var/bench")


class Target(NamedTuple):
    """What a figure must reach to be called good: a bound on its ratio, or on ours alone."""

    kind: Literal["at least", "at most"]
    bound: float
    of: Literal["ratio", "ours"] = "ratio"

    def is_met(self, figure: "Figure") -> bool:
        value = figure.ratio if self.of == "ratio" else figure.ours
        return value >= self.bound if self.kind == "at least" else value <= self.bound


@dataclass(frozen=True)
class Figure:
    """One measurement of ours beside a baseline of the same run."""

    ours: float
    baseline: float
    unit: str
    baseline_is: str
    smaller_is_better: bool = False
    target: Target | None = None

    @property
    def ratio(self) -> float:
        """Ours divided by the baseline, whichever direction is better."""
        return self.ours / self.baseline if self.baseline else math.inf

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        word = "ok" if self.target.is_met(self) else "SHORT"
        return f"{word} ({self.target.kind} {self.target.bound:g})"

    def as_json(self) -> dict[str, Any]:
        described: dict[str, Any] = {
            "ours": _rounded(self.ours),
            "baseline": _rounded(self.baseline),
            "ratio": _rounded(self.ratio),
            "unit": self.unit,
            "baseline_is": self.baseline_is,
            "better": "lower" if self.smaller_is_better else "higher",
        }
        if self.target:
            described |= {"target": self.target._asdict(), "met": self.target.is_met(self)}
        return described


def show(figures: dict[str, Figure]) -> None:
    width = max(map(len, figures), default=0)
    print(f"\n{'':{width}}  {'ours':>12}  {'baseline':>12}  {'ratio':>8}  unit, baseline")
    for name, figure in figures.items():
        print(
            f"{name:{width}}  {written(figure.ours):>12}  {written(figure.baseline):>12}  "
            f"{figure.ratio:>7.2f}x  {figure.unit}, {figure.baseline_is}  {figure.verdict}"
        )


def written(value: float) -> str:
    """Three significant digits, with thousands separators."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def write(name: str, figures: dict[str, Figure], folder: Path = FOLDER) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    described = {key: figure.as_json() for key, figure in figures.items()}
    path.write_text(json.dumps(described, indent=2, ensure_ascii=False) + "\n")
    return path


def _rounded(value: float) -> float | None:
    """To five digits. What JSON can't express becomes null."""
    return float(f"{value:.5g}") if math.isfinite(value) else None
