from tests.pictures.conftest import empty_storage

__all__ = ["empty_storage"]
