from django.urls import path

from . import views

urlpatterns = [
    path("@<username:login>/followers/", views.followers, name="followers"),
    path("@<username:login>/following/", views.following, name="following"),
    path("@<username:login>/follow/", views.follow, name="follow"),
    path("@<username:login>/unfollow/", views.unfollow, name="unfollow"),
]
