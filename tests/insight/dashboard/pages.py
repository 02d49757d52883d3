"""A dashboard as it was answered, read as a person would."""

import re
from functools import cached_property
from html import unescape
from typing import Any


def shown_in(answer: Any) -> "Shown":
    assert answer.status_code == 200, answer.text
    return Shown(answer.text)


def words_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<.*?>", " ", html, flags=re.DOTALL)).split())


class Shown:
    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def sums(self) -> dict[str, int]:
        """Of plots that have one, by their key."""
        found = re.findall(r'id="frame-(\w+)">\s*<p class="summary">([\d,]+) in all', self.text)
        return {key: int(number.replace(",", "")) for key, number in found}

    @property
    def others(self) -> int:
        """Plots without a sum."""
        return len(re.findall(r'id="frame-', self.text)) - len(self.sums)

    def summary(self, key: str) -> str:
        return self._one(rf'id="frame-{key}">\s*<p class="summary">(.*?)</p>')

    def table(self, key: str) -> list[list[str]]:
        """The newest row first."""
        body = self._one(rf'id="table-{key}">.*?<tbody>(.*?)</tbody>')
        rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
        cells = r"<t[hd][^>]*>(.*?)</t[hd]>"
        return [[words_of(it) for it in re.findall(cells, row, re.DOTALL)] for row in rows]

    def newest_ms(self, key: str, name: str) -> float:
        """What stands at the end of a line."""
        label = self._one(rf'id="frame-{key}">.*?>{name} ([\d.]+ m?s)</text>')
        number, unit = label.split()
        return float(number) * (1 if unit == "ms" else 1000)

    @property
    def troubles(self) -> list[str]:
        return re.findall(r'<p class="trouble">(.*?)</p>', self.text, re.DOTALL)

    @property
    def tiles(self) -> dict[str, str]:
        found = re.findall(r'<section class="tile.*?</section>', self.text, re.DOTALL)
        heads = [re.findall("<h2>.*?</h2>", it, re.DOTALL)[0] for it in found]
        return {words_of(head): words_of(it) for head, it in zip(heads, found, strict=True)}

    @property
    def late(self) -> set[str]:
        found = re.findall(r'<section class="tile is-late">\s*<h2>(.*?)</h2>', self.text, re.DOTALL)
        return {words_of(it) for it in found}

    @property
    def marks(self) -> list[str]:
        found = re.findall(r"<li><time[^>]*>.*?</time>(.*?)</li>", self.text)
        return [words_of(it) for it in found]

    @property
    def active(self) -> dict[str, int]:
        found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", self.text)
        return {words: int(number) for words, number in found}

    def _one(self, pattern: str) -> str:
        found = re.search(pattern, self.text, re.DOTALL)
        assert found, f"{pattern} is not on the page"
        return found[1]
