"""What staff alone have to do with: the settings of the site, the audit log, groups."""

from . import log_and_groups, site_settings

__all__ = ["log_and_groups", "site_settings"]
