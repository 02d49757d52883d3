"""Which replicas the site may ask, and which it has asked."""

import pytest
import redis

from redistools.client import get_client, get_replicas
from redistools.servers import replicas
from redistools.servers.replicas import Replicas
from tests.round_trips import RoundTrips
from tests.running_site import wait_for

WITH_REPLICAS = [
    "steady_sentinel_url",
    pytest.param("steady_cluster_url", marks=pytest.mark.long),
]


def known_replicas() -> Replicas:
    known = get_replicas()
    assert known is not None
    return known


def masters() -> dict[str, redis.Redis]:
    """Clients by name."""
    return replicas._masters(get_client())


def wait_until_known() -> None:
    """Every master has a replica that may be asked."""
    known = known_replicas()
    wait_for(lambda: all(known.of(name) for name in masters()), what="replicas that keep up")


def ports_of_replicas() -> set[str]:
    lags = known_replicas()._lags.values()
    return {str(port) for lag in lags for _, port in lag.known_until}


def ports_asked(trips: RoundTrips) -> set[str]:
    servers = ", ".join(trips.to).split(", ")
    return {server.rpartition(":")[2] for server in servers}
