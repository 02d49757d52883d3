"""Free ports that stay free: below the range from which the kernel picks client ports."""

import random
import socket

# Linux begins at 32,768. A node of a Redis Cluster also listens on its port + 10,000.
CLUSTER_PORTS, BUS_OFFSET = range(10_000, 16_000), 10_000
OTHER_PORTS = range(26_000, 32_700)


def free_ports(count: int) -> list[int]:
    ports = random.sample(OTHER_PORTS, len(OTHER_PORTS))
    free = (port for port in ports if is_free(port))
    return [next(free) for _ in range(count)]


def free_cluster_port() -> int:
    return free_cluster_ports(1)[0]


def free_cluster_ports(count: int) -> list[int]:
    ports = random.sample(CLUSTER_PORTS, len(CLUSTER_PORTS))
    free = (port for port in ports if is_free(port) and is_free(port + BUS_OFFSET))
    return [next(free) for _ in range(count)]


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
