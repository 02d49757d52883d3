from django.urls import path

from . import posting_views, views
from .reading.now import now

urlpatterns = [
    path("now/", now, name="now"),
    path("compose/", posting_views.compose, name="compose"),
    path("statuses/", posting_views.post_status, name="post_status"),
    path("statuses/<id:status_id>/delete/", views.delete_status, name="delete_status"),
    path("statuses/<id:status_id>/edit/", views.edit_status, name="edit_status"),
    path("statuses/<id:status_id>/mute_thread/", views.mute_thread, name="mute_thread"),
    path("statuses/<id:status_id>/unmute_thread/", views.unmute_thread, name="unmute_thread"),
    path("@<username:username>/<id:status_id>/", views.status, name="status"),
    path("@<username:username>/<id:status_id>/menu/", views.menu, name="status_menu"),
    path("@<username:username>/<id:status_id>/history/", views.history, name="history"),
    path("@<username:username>/<id:status_id>/likes/", views.liked_by, name="liked_by"),
    path("@<username:username>/<id:status_id>/boosts/", views.boosted_by, name="boosted_by"),
]

for reaction in views.DO:
    address = "statuses/<id:status_id>"
    urlpatterns += [
        path(f"{address}/{reaction}/", views.do, {"reaction": reaction}, name=reaction),
        path(f"{address}/un{reaction}/", views.undo, {"reaction": reaction}, name=f"un{reaction}"),
    ]
