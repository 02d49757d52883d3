"""The site as an app that people put on their home screen: its manifest, and the service worker."""

import hashlib
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, get_language_bidi, gettext

from configuration.current import site
from configuration.site import Site

# The page and its top, as in the light theme (static/css).
BACKGROUND = "#ffffff"
ICONS = (
    ("img/icon-192.png", "192x192", "any"),
    ("img/icon-512.png", "512x512", "any"),
    ("img/icon-maskable-512.png", "512x512", "maskable"),
)


def manifest() -> dict[str, Any]:
    return {
        "id": "/",
        "name": site().name,
        "short_name": site().name[:12],
        "description": site().description
        or gettext("What's happening, from the people you choose."),
        "lang": get_language(),
        "dir": "rtl" if get_language_bidi() else "ltr",
        "start_url": reverse("home"),
        "scope": "/",
        "display": "standalone",
        "theme_color": BACKGROUND,
        "background_color": BACKGROUND,
        "categories": ["social"],
        "icons": [_icon(*icon) for icon in ICONS],
        "shortcuts": [
            _shortcut(gettext("New post"), f"{reverse('home')}#compose"),
            _shortcut(gettext("Notifications"), reverse("notifications")),
        ],
    }


def _icon(path: str, sizes: str, purpose: str) -> dict[str, str]:
    return {"src": static(path), "sizes": sizes, "type": "image/png", "purpose": purpose}


def _shortcut(name: str, address: str) -> dict[str, Any]:
    path, sizes, purpose = ICONS[0]
    return {"name": name, "url": address, "icons": [_icon(path, sizes, purpose)]}


def service_worker() -> str:
    return _service_worker(site())


@lru_cache(1)
def _service_worker(now: Site) -> str:
    """Changes with the static files and the offline page: then browsers install the new one."""
    files = getattr(staticfiles_storage, "manifest_hash", "")
    page = render_to_string("sharing/offline.html", {"site_name": now.name})
    version = hashlib.blake2b(f"{files} {page}".encode(), digest_size=6).hexdigest()
    context = {"version": version, "offline": reverse("offline"), "static_url": settings.STATIC_URL}
    return render_to_string("sharing/sw.js", context)
