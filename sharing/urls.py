from django.urls import path, register_converter

from . import views
from .url_converters import DayConverter

register_converter(DayConverter, "day")

urlpatterns = [
    path("@<username:username>/feed.xml", views.profile_feed, name="profile_feed"),
    path("tags/<str:name>/feed.xml", views.tag_feed, name="tag_feed"),
    path("@<username:username>/<id:status_id>/embed/", views.embed, name="embed"),
    path("oembed", views.oembed, name="oembed"),
    path("sitemap.xml", views.sitemap, name="sitemap"),
    path("sitemap-site.xml", views.sitemap_site, name="sitemap_site"),
    path("sitemap-people-<number:number>.xml", views.sitemap_people, name="sitemap_people"),
    path("sitemap-posts-<day:day>.xml", views.sitemap_posts, name="sitemap_posts"),
    path("manifest.webmanifest", views.manifest, name="manifest"),
    path("sw.js", views.service_worker, name="service_worker"),
    path("offline/", views.offline, name="offline"),
]
