from django.urls import path

from . import views

urlpatterns = [path("signup/first/", views.first_administrator, name="first_administrator")]
