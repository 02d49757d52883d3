from django.urls import path

from . import list_views, views

urlpatterns = [
    path("", views.home, name="home"),
    path("explore/", views.explore, name="explore"),
    path("lists/", list_views.lists, name="lists"),
    path("lists/<id:list_id>/", list_views.list_timeline, name="list"),
    path("lists/<id:list_id>/edit/", list_views.edit_list, name="edit_list"),
    path("lists/<id:list_id>/delete/", list_views.delete_list, name="delete_list"),
    path("lists/<id:list_id>/members/", list_views.list_members, name="list_members"),
    path("lists/<id:list_id>/members/add/", list_views.add_member, name="add_member"),
    path("lists/<id:list_id>/members/remove/", list_views.remove_member, name="remove_member"),
]
