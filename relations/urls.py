from django.urls import path

from . import views
from .blocks_and_mutes import views as blocking

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
    path("follow_requests/", views.follow_requests, name="follow_requests"),
    path("@<username:username>/accept/", views.accept, name="accept_request"),
    path("@<username:username>/refuse/", views.refuse, name="refuse_request"),
    path("@<username:username>/remove_follower/", views.remove_follower, name="remove_follower"),
    path("@<username:username>/block/", blocking.block, name="block"),
    path("@<username:username>/unblock/", blocking.unblock, name="unblock"),
    path("@<username:username>/mute/", blocking.mute, name="mute"),
    path("@<username:username>/unmute/", blocking.unmute, name="unmute"),
    path("settings/blocked/", blocking.blocked, name="blocked"),
    path("settings/muted/", blocking.muted, name="muted"),
    path("settings/words/", blocking.words, name="muted_words"),
    path(
        "settings/words/<id:word_id>/remove/",
        blocking.remove_word,
        name="unmute_word",
    ),
]
