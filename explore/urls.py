from django.urls import path

from . import views

urlpatterns = [
    path("explore/", views.popular, name="explore"),
    path("aside/", views.aside, name="aside"),
    path("explore/tags/", views.tags, name="explore_tags"),
    path("explore/newest/", views.newest, name="explore_newest"),
]
