"""All rules that are on, ready to be asked. Pure: it knows neither stores nor requests."""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from relations.blocks_and_mutes.muted_words import stands_in
from statuses.words.entities import find_entities

from .disguises import undisguised
from .patterns import Pattern, addressees, host_of, network, with_domains_above


class Entry(NamedTuple):
    id: int
    kind: str
    pattern: str
    action: str
    category: str


class RuleBook:
    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        of = {kind: [it for it in entries if it.kind == kind] for kind in Pattern}
        self._phrases = of[Pattern.WORDS]
        self._links = {it.pattern: it for it in of[Pattern.LINK]}
        self._mail = {it.pattern: it for it in of[Pattern.MAIL]}
        self._networks = [(network(it.pattern), it) for it in of[Pattern.ADDRESS]]

    def on_text(self, text: str) -> Iterator[Entry]:
        """Most sites have few rules, and most texts no link: then it costs next to nothing."""
        if self._phrases:
            folded = undisguised(text)
            yield from (
                it for it in self._phrases if it.pattern in folded and stands_in(it.pattern, folded)
            )
        if self._links:
            links = (it.value for it in find_entities(text) if it.kind == "link")
            yield from _unique(
                it for link in links for it in _at(self._links, with_domains_above(host_of(link)))
            )

    def on_email(self, email: str) -> Iterator[Entry]:
        return _at(self._mail, addressees(email)) if self._mail else iter(())

    def on_address(self, address: str) -> Iterator[Entry]:
        """`address`: one, or the network that stands for it (`web/client_address.py`)."""
        if not self._networks:
            return
        try:
            asked = ip_network(address) if "/" in address else ip_address(address)
        except ValueError:
            return
        lowest = getattr(asked, "network_address", asked)
        yield from (it for wide, it in self._networks if lowest in wide)


def _at(rules: dict[str, Entry], names: Iterable[str]) -> Iterator[Entry]:
    return (rules[name] for name in names if name in rules)


def _unique(entries: Iterable[Entry]) -> Iterable[Entry]:
    return dict.fromkeys(entries)
