from django.urls import path

from . import views

urlpatterns = [
    path("settings/tokens/", views.access_tokens, name="tokens"),
    path("settings/tokens/revoke-all/", views.revoke_all, name="revoke_all_tokens"),
    path("settings/tokens/<id:token_id>/revoke/", views.revoke, name="revoke_token"),
]
