from django.contrib import admin
from django.urls import include, path, register_converter

from . import views
from .url_converters import IdConverter, UsernameConverter

# Before the apps' patterns, which use them.
register_converter(IdConverter, "id")
register_converter(UsernameConverter, "username")

urlpatterns = [
    path("", include("timelines.urls")),
    path("", include("explore.urls")),
    path("", include("statuses.urls")),
    path("", include("lists.urls")),
    path("", include("notifications.urls")),
    path("", include("relations.urls")),
    path("", include("users.urls")),
    path("", include("access.urls")),
    path("", include("moderation.urls")),
    path("", include("streaming.urls")),
    path("admin/", admin.site.urls),
    path("healthz", views.healthz, name="healthz"),
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", views.favicon, name="favicon"),
]

handler400 = "socialsite.views.bad_request"
handler403 = "socialsite.views.forbidden"
handler500 = "socialsite.views.server_error"
