from django.urls import path

from . import views

urlpatterns = [
    path("lists/", views.lists, name="lists"),
    path("@<username:username>/lists/", views.lists_of_account, name="profile_lists"),
    path("@<username:username>/add_to_list/", views.sort_into_lists, name="sort_into_lists"),
    path("lists/<id:list_id>/edit/", views.edit_list, name="edit_list"),
    path("lists/<id:list_id>/delete/", views.delete_list, name="delete_list"),
    path("lists/<id:list_id>/members/", views.list_members, name="list_members"),
    path("lists/<id:list_id>/members/add/", views.add_member, name="add_member"),
    path("lists/<id:list_id>/members/remove/", views.remove_member, name="remove_member"),
]
