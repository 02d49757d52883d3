"""The kinds of rules, and the one form in which a pattern is kept and compared."""

import re
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_network
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from web.client_address import IPV6_NETWORK_BITS

from .disguises import undisguised

LONGEST = 200
IPV4_IN_IPV6_BITS = 96
# Wider ones are a good part of the internet.
WIDEST = {4: 8, 6: 16}

_domain = re.compile(r"(?=.{3,253}\Z)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}")
_around_domain = re.compile(r"\A(?:[a-z]+://)?(?:[^/@]*@)?(?:\*\.)?(?:www\.)?|[/?#:].*\Z")


class Pattern(models.TextChoices):
    WORDS = "words", _("Word or phrase")
    LINK = "link", _("Links to a domain")
    MAIL = "mail", _("E-mail address, or all at a domain")
    ADDRESS = "address", _("Sign-ups from a network")


def cleaned(kind: Pattern, written: str) -> str:
    """Raises ValidationError, by field."""
    pattern = _CLEANERS[kind](written.strip())
    if len(pattern) > LONGEST:
        raise _wrong(gettext("This is too long."))
    return pattern


def host_of(address: str) -> str:
    """Of a link; empty if it has none."""
    try:
        return in_ascii(urlsplit(address).hostname or "")
    except ValueError:
        return ""


def addressees(email: str) -> Iterator[str]:
    """Under what a rule may have it: as a whole, and all domains that it is in."""
    name, _, host = email.rpartition("@")
    yield _mailbox(name, in_ascii(host))
    yield from with_domains_above(in_ascii(host))


def with_domains_above(host: str) -> Iterator[str]:
    """`a.b.example`, `b.example`, `example`."""
    parts = host.strip(".").split(".")
    return (".".join(parts[start:]) for start in range(len(parts)))


def in_ascii(host: str) -> str:
    """bücher.example as names of hosts are sent: one name has one form."""
    try:
        return host.lower().encode("idna").decode()
    except UnicodeError:
        return host.lower()


def network(written: str) -> IPv4Network | IPv6Network:
    """As visitors are told apart: of IPv6 nothing narrower is known. Raises ValueError."""
    found = ip_network(written, strict=False)
    if isinstance(found, IPv4Network):
        return found
    if (mapped := found.network_address.ipv4_mapped) and found.prefixlen >= IPV4_IN_IPV6_BITS:
        return IPv4Network((int(mapped), found.prefixlen - IPV4_IN_IPV6_BITS))
    return found.supernet(new_prefix=min(found.prefixlen, IPV6_NETWORK_BITS))


def _words(written: str) -> str:
    folded = undisguised(" ".join(written.split()))
    if sum(map(str.isalnum, folded)) < 2:
        raise _wrong(gettext("Write at least two letters or digits."))
    return folded


def _domain_name(written: str) -> str:
    host = in_ascii(_around_domain.sub("", written.lower())).rstrip(".")
    if not (_domain.fullmatch(host) or _is_number(host)):
        raise _wrong(gettext("Write a domain such as shop.example, without a path."))
    return host


def _is_number(host: str) -> bool:
    try:
        return bool(IPv4Address(host))
    except ValueError:
        return False


def _mail_name(written: str) -> str:
    name, _, host = written.rpartition("@")
    domain = _domain_name(host)
    return _mailbox(name, domain) if name else domain


def _mailbox(name: str, host: str) -> str:
    """What follows a plus sign leads to the same one."""
    return f"{name.partition('+')[0].casefold()}@{host}"


def _network_name(written: str) -> str:
    try:
        found = network(written)
    except ValueError as error:
        words = gettext("Write an address or a network, such as 192.0.2.7 or 2001:db8::/32.")
        raise _wrong(words) from error
    if found.prefixlen < WIDEST[found.version]:
        words = gettext("This network is too wide: at least /%(bits)s, please.")
        raise _wrong(words % {"bits": WIDEST[found.version]})
    return str(found)


_CLEANERS: dict[Pattern, Callable[[str], str]] = {
    Pattern.WORDS: _words,
    Pattern.LINK: _domain_name,
    Pattern.MAIL: _mail_name,
    Pattern.ADDRESS: _network_name,
}


def _wrong(words: str) -> ValidationError:
    return ValidationError({"pattern": words}, code="pattern")
