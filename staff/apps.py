from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class StaffConfig(AppConfig):
    name = "staff"


class AdminConfig(admin_apps.AdminConfig):
    """Django's admin, with a site of our own."""

    default = False
    default_site = "staff.site.Site"
