from django.urls import path

from . import views

urlpatterns = [
    path("@<username:username>/", views.profile, name="profile"),
    path("@<username:username>/with_replies/", views.profile_replies, name="profile_replies"),
    path("@<username:username>/likes/", views.likes, name="likes"),
    path("bookmarks/", views.bookmarks, name="bookmarks"),
    path("tags/", views.tags, name="tags"),
    path("tags/<str:name>/", views.tag, name="tag"),
    path("tags/<str:name>/follow/", views.follow_tag, name="follow_tag"),
    path("tags/<str:name>/unfollow/", views.unfollow_tag, name="unfollow_tag"),
    path("mentions/", views.mentions, name="mentions"),
    path("lists/<id:list_id>/", views.list_timeline, name="list"),
]
