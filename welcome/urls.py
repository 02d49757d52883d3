from django.urls import path

from . import views

urlpatterns = [
    path("welcome/", views.welcome, name="welcome"),
    path("welcome/profile/", views.profile, name="welcome_profile"),
    path("welcome/interests/", views.interests, name="welcome_interests"),
    path("welcome/people/", views.people, name="welcome_people"),
    path("welcome/post/", views.post, name="welcome_post"),
    path("welcome/dismiss/", views.dismiss, name="dismiss_welcome"),
]
