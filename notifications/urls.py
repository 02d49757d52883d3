from django.urls import path

from . import views

urlpatterns = [
    path("notifications/", views.notifications, name="notifications"),
    path("notifications/mentions/", views.mentions, name="mention_notifications"),
    path("notifications/read/", views.mark_read, name="read_notifications"),
    path("settings/notifications/", views.choose_kinds, name="notification_settings"),
]
