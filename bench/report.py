"""Figures as a table for people and as JSON for comparison between runs."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path("var/bench")


@dataclass(frozen=True)
class Figure:
    """`ratio` says how many times better ours is, whichever direction is better."""

    ours: float
    baseline: float
    unit: str
    baseline_is: str
    smaller_is_better: bool = False

    @property
    def ratio(self) -> float:
        better, worse = self.ours, self.baseline
        if self.smaller_is_better:
            better, worse = worse, better
        return better / worse if worse else float("inf")


def show(figures: dict[str, Figure]) -> None:
    width = max(map(len, figures))
    print(f"\n{'':{width}}  {'ours':>10}  {'baseline':>10}  {'ratio':>7}  unit, baseline")
    for name, figure in figures.items():
        print(
            f"{name:{width}}  {figure.ours:>10,.2f}  {figure.baseline:>10,.2f}  "
            f"{figure.ratio:>6.1f}x  {figure.unit}, {figure.baseline_is}"
        )


def write(name: str, figures: dict[str, Figure]) -> Path:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.json"
    figures_json = {
        key: {**_rounded(figure), "ratio": round(figure.ratio, 3)}
        for key, figure in figures.items()
    }
    path.write_text(json.dumps(figures_json, indent=2, ensure_ascii=False) + "\n")
    return path


def _rounded(figure: Figure) -> dict[str, object]:
    fields = asdict(figure)
    fields.pop("smaller_is_better")
    return {key: round(v, 3) if isinstance(v, float) else v for key, v in fields.items()}
