from django.urls import path

from . import views

urlpatterns = [
    path("statuses/", views.post_status, name="post_status"),
    path("statuses/<id:status_id>/delete/", views.delete_status, name="delete_status"),
    path("@<username:username>/<id:status_id>/", views.status, name="status"),
]

for deed in views.DO:
    address = "statuses/<id:status_id>"
    urlpatterns += [
        path(f"{address}/{deed}/", views.do, {"deed": deed}, name=deed),
        path(f"{address}/un{deed}/", views.undo, {"deed": deed}, name=f"un{deed}"),
    ]
