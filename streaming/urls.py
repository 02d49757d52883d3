from django.urls import path

from . import views

urlpatterns = [path("developers/stream/", views.stream_demo, name="stream_demo")]
