from django.urls import path

from . import views
from .people import views as people

urlpatterns = [
    path("explore/", views.popular, name="explore"),
    path("aside/", views.aside, name="aside"),
    path("explore/tags/", views.tags, name="explore_tags"),
    path("explore/newest/", views.newest, name="explore_newest"),
    path("explore/people/", people.people, name="explore_people"),
    path("@<username:username>/dismiss/", people.dismiss, name="dismiss_person"),
    path("@<username:username>/undismiss/", people.undo_dismissal, name="undismiss_person"),
]
