from django.urls import path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("explore/", views.explore, name="explore"),
    path("@<username:username>/", views.profile, name="profile"),
    path("@<username:username>/likes/", views.likes, name="likes"),
    path("bookmarks/", views.bookmarks, name="bookmarks"),
    path("lists/<id:list_id>/", views.list_timeline, name="list"),
]
