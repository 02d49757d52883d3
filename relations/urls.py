from django.urls import path

from . import views

urlpatterns = [
    path("@<username:username>/followers/", views.followers, name="followers"),
    path("@<username:username>/following/", views.following, name="following"),
    path("@<username:username>/follow/", views.follow, name="follow"),
    path("@<username:username>/unfollow/", views.unfollow, name="unfollow"),
    path(
        "@<username:username>/hide_boosts/",
        views.change_boosts,
        {"hidden": True},
        name="hide_boosts",
    ),
    path(
        "@<username:username>/show_boosts/",
        views.change_boosts,
        {"hidden": False},
        name="show_boosts",
    ),
]
