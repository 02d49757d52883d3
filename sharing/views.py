"""What other sites, feed readers, search engines and home screens ask for. Everybody gets what
visitors see.
"""

from collections.abc import Iterable
from datetime import date

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import conditional_page, require_safe

from configuration.current import site
from statuses.parts import html_of
from statuses.selectors import status_or_404
from tags.selectors import folded_or_404, tag_named
from users.decorators import of_account
from users.models import User
from web.middleware import host_of_pictures
from web.refusals import answers_json

from . import embeds, feeds, sitemaps, web_app
from .sitemaps import SitemapEntry

# Anybody may frame it. It runs nothing, sends nothing, and loads its style and pictures alone.
EMBED_POLICY = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'{pictures}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors *",
    ]
)


@require_safe
@conditional_page
@of_account
def profile_feed(_request: HttpRequest, account: User) -> HttpResponse:
    """Empty for a silenced account, which is not told."""
    if account.is_private:
        raise Http404("Only followers see what this account says.")
    return feeds.of_profile(account)


@require_safe
@conditional_page
def tag_feed(_request: HttpRequest, name: str) -> HttpResponse:
    folded = folded_or_404(name)
    if folded != name:
        return redirect("tag_feed", folded, permanent=True)
    return feeds.of_tag(tag_named(folded))


@require_safe
@xframe_options_exempt
@of_account
def embed(_request: HttpRequest, account: User, status_id: int) -> HttpResponse:
    """Rendered without the request: it has no session, and no form."""
    shown = status_or_404(account, status_id, viewer=None)
    if shown.boost:
        return redirect("embed", shown.username, shown.status.id)
    context = {
        "status": shown,
        "parts": html_of(shown, for_member=False),
        "site_name": site().name,
        "address": reverse("status", args=[shown.username, shown.id]),
        "LANGUAGE_CODE": get_language(),
    }
    response = HttpResponse(render_to_string("sharing/embed.html", context))
    response.headers["Content-Security-Policy"] = EMBED_POLICY.format(pictures=host_of_pictures())
    return response


@require_safe
@answers_json({"Access-Control-Allow-Origin": "*"})
def oembed(request: HttpRequest) -> HttpResponse:
    """Refuses in the few words of the standard: programs read them."""
    return JsonResponse(embeds.oembed(embeds.asked_for(request.GET)))


@require_safe
@conditional_page
def sitemap(request: HttpRequest) -> HttpResponse:
    return _map(request, "sharing/sitemap_index.xml", sitemaps.index())


@require_safe
@conditional_page
def sitemap_site(request: HttpRequest) -> HttpResponse:
    return _map(request, "sharing/sitemap.xml", sitemaps.site())


@require_safe
@conditional_page
def sitemap_people(request: HttpRequest, number: int) -> HttpResponse:
    return _map(request, "sharing/sitemap.xml", sitemaps.people(number))


@require_safe
@conditional_page
def sitemap_posts(request: HttpRequest, day: date) -> HttpResponse:
    return _map(request, "sharing/sitemap.xml", sitemaps.posts(day))


def _map(_request: HttpRequest, template: str, entries: Iterable[SitemapEntry]) -> HttpResponse:
    page = render_to_string(template, {"entries": entries})
    return HttpResponse(page, content_type="application/xml")


@require_safe
@conditional_page
def manifest(_request: HttpRequest) -> HttpResponse:
    answer = JsonResponse(web_app.manifest(), content_type="application/manifest+json")
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@require_safe
@conditional_page
def service_worker(_request: HttpRequest) -> HttpResponse:
    answer = HttpResponse(web_app.service_worker(), content_type="text/javascript")
    answer.headers["Service-Worker-Allowed"] = "/"
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@require_safe
def offline(_request: HttpRequest) -> HttpResponse:
    """Kept by the browser, and shown when there is no network: it must not know who reads it."""
    context = {"site_name": site().name}
    return HttpResponse(render_to_string("sharing/offline.html", context))
