from django.contrib import admin
from django.urls import include, path

from . import views

urlpatterns = [
    path("", include("timelines.urls")),
    path("", include("users.urls")),
    path("admin/", admin.site.urls),
    path("healthz", views.healthz, name="healthz"),
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", views.favicon, name="favicon"),
]

handler403 = "socialsite.views.forbidden"
handler500 = "socialsite.views.server_error"
