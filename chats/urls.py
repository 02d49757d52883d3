from django.urls import path

from . import views

urlpatterns = [
    path("messages/", views.chats, name="chats"),
    path("messages/requests/", views.requests, name="chat_requests"),
    path("messages/archived/", views.archived, name="archived_chats"),
    path("messages/unread/", views.unread, name="unread_messages"),
    path("messages/new/", views.new_chat, name="new_chat"),
    path("messages/with/<username:username>/", views.chat_with, name="chat_with"),
    path("messages/<id:chat_id>/", views.chat, name="chat"),
    path("messages/<id:chat_id>/about/", views.about_chat, name="about_chat"),
    path("messages/<id:chat_id>/changes/", views.changes, name="chat_changes"),
    path("messages/<id:chat_id>/accept/", views.accept, name="accept_chat"),
    path("messages/<id:chat_id>/decline/", views.decline, name="decline_chat"),
    path("messages/<id:chat_id>/set-aside/", views.set_aside, name="set_chat_aside"),
    path("messages/<id:chat_id>/leave/", views.leave, name="leave_chat"),
    path("messages/<id:chat_id>/add/", views.add_members, name="add_chat_members"),
    path(
        "messages/<id:chat_id>/remove/<username:username>/",
        views.remove_member,
        name="remove_chat_member",
    ),
    path("messages/<id:chat_id>/<id:message_id>/edit/", views.edit_message, name="edit_message"),
    path("messages/<id:chat_id>/<id:message_id>/delete/", views.delete, name="delete_message"),
    path("messages/<id:chat_id>/<id:message_id>/hide/", views.hide, name="hide_message"),
    path("messages/<id:chat_id>/<id:message_id>/react/", views.react, name="react_to_message"),
    path("settings/messages/", views.preferences, name="chat_preferences"),
]
