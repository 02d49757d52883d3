from django.urls import path

from . import views

urlpatterns = [
    path("@<username:username>/", views.profile, name="profile"),
    path("@<username:username>/with_replies/", views.profile_replies, name="profile_replies"),
    path("@<username:username>/likes/", views.likes, name="likes"),
    path("bookmarks/", views.bookmarks, name="bookmarks"),
    path("tags/<str:name>/", views.tag, name="tag"),
    path("mentions/", views.mentions, name="mentions"),
    path("lists/<id:list_id>/", views.list_timeline, name="list"),
]
