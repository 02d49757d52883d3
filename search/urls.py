from django.urls import path

from . import views

urlpatterns = [
    path("search/", views.search, name="search"),
    path("lists/<id:list_id>/members/find/", views.find_members, name="find_members"),
    path("complete/", views.complete, name="complete"),
    path("complete/contacts/", views.contacts, name="contacts"),
]
