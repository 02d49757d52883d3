from django.urls import path

from . import views
from .interests.views import edit_interests

urlpatterns = [
    path("settings/interests/", edit_interests, name="edit_interests"),
    path("tags/", views.tags, name="tags"),
    path("tags/<str:name>/follow/", views.follow_tag, name="follow_tag"),
    path("tags/<str:name>/unfollow/", views.unfollow_tag, name="unfollow_tag"),
]
