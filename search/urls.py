from django.urls import path

from . import keeping_views, views

urlpatterns = [
    path("search/", views.search, name="search"),
    path("search/save/", keeping_views.save, name="save_search"),
    path("search/saved/", keeping_views.saved, name="saved_searches"),
    path("search/saved/<id:search_id>/", keeping_views.rename, name="rename_search"),
    path("search/saved/<id:search_id>/delete/", keeping_views.delete, name="delete_search"),
    path("search/saved/<id:search_id>/notify/", keeping_views.notify, name="notify_of_search"),
    path("search/saved/<id:search_id>/open/", keeping_views.open_search, name="open_search"),
    path("search/recent/forget/", keeping_views.forget, name="forget_searches"),
    path("complete/searches/", keeping_views.kept, name="kept_searches"),
    path("lists/<id:list_id>/members/find/", views.find_members, name="find_members"),
    path("complete/", views.complete, name="complete"),
    path("complete/contacts/", views.contacts, name="contacts"),
]
