from tests.streaming.conftest import server, shared_server

__all__ = ["server", "shared_server"]
