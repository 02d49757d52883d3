from django.urls import path

from . import views
from .dashboard import views as dashboard

urlpatterns = [
    path("admin/insight/", dashboard.dashboard, name="insight"),
    path("admin/insight/<slug:key>.csv", dashboard.file, name="insight_file"),
    path("metrics", views.metrics, name="metrics"),
]
