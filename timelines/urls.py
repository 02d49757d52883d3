from django.urls import path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("@<username:username>/", views.profile, name="profile"),
    path("@<username:username>/with_replies/", views.profile_replies, name="profile_replies"),
    path("@<username:username>/likes/", views.likes, name="likes"),
    path("bookmarks/", views.bookmarks, name="bookmarks"),
    path("lists/<id:list_id>/", views.list_timeline, name="list"),
]
