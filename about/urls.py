from django.urls import path

from . import views

urlpatterns = [
    path("about/", views.about, name="about"),
    path("rules/", views.rules, name="rules"),
    path("privacy-policy/", views.privacy_policy, name="privacy_policy"),
    path("announcement/close/", views.close_announcement, name="close_announcement"),
    path("help/", views.help_page, name="help"),
    path("developers/", views.developers, name="developers"),
]
