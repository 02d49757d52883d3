from django.urls import path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("@<username:username>/", views.profile, name="profile"),
    path("lists/<id:list_id>/", views.list_timeline, name="list"),
]
