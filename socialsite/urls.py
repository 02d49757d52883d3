from django.contrib import admin
from django.urls import include, path, re_path, register_converter

from pictures.kinds import PATTERN as PICTURE
from pictures.views import picture

from . import views
from .url_converters import IdConverter, NumberConverter, UsernameConverter

# Before the apps' patterns, which use them.
register_converter(IdConverter, "id")
register_converter(NumberConverter, "number")
register_converter(UsernameConverter, "username")

urlpatterns = [
    path("", views.front_page, name="home"),
    path("", include("timelines.urls")),
    path("", include("tags.urls")),
    path("", include("explore.urls")),
    path("", include("search.urls")),
    path("", include("welcome.urls")),
    path("", include("about.urls")),
    path("", include("statuses.urls")),
    path("", include("lists.urls")),
    path("", include("notifications.urls")),
    path("", include("chats.urls")),
    path("", include("relations.urls")),
    path("", include("users.urls")),
    path("", include("staff.urls")),
    path("", include("access.urls")),
    path("", include("moderation.urls")),
    path("", include("streaming.urls")),
    path("", include("sharing.urls")),
    path("", include("insight.urls")),
    re_path(rf"^media/{PICTURE}$", picture, name="picture"),
    # Django's detour to the page of any row: ours have links of their own, and some have no table.
    path("admin/r/<path:row>", views.nothing_here),
    path("admin/", admin.site.urls),
    path("healthz", views.healthz, name="healthz"),
    path("keyboard/", views.keyboard, name="keyboard"),
    path("robots.txt", views.robots, name="robots"),
    path("accent-<slug:version>.css", views.accent, name="accent"),
    path("favicon.ico", views.favicon, name="favicon"),
]

handler400 = "socialsite.views.bad_request"
handler403 = "socialsite.views.forbidden"
handler404 = "socialsite.views.not_found"
handler500 = "socialsite.views.server_error"
