from .log.pages import LogAdmin

__all__ = ["LogAdmin"]
