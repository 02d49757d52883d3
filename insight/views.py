import ipaddress

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from web.client_address import client_address

from . import metrics as exposed


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For programs; for everybody else there is no such page."""
    if not (_has_token(request) or _is_near(request)):
        raise Http404
    return HttpResponse(exposed.exposition(), content_type=exposed.CONTENT_TYPE)


def _has_token(request: HttpRequest) -> bool:
    token: str | None = settings.METRICS_TOKEN
    given = request.META.get("HTTP_AUTHORIZATION", "")
    return bool(token) and constant_time_compare(given, f"Bearer {token}")


def _is_near(request: HttpRequest) -> bool:
    """Whoever comes through a proxy that we don't know of may be anybody."""
    through_proxy = "HTTP_X_FORWARDED_FOR" in request.META
    if through_proxy and not settings.TRUSTED_PROXIES:
        return False
    address = client_address(request) if through_proxy else request.META.get("REMOTE_ADDR", "")
    try:
        network = ipaddress.ip_network(address)
    except ValueError:  # a unix socket
        return False
    return any(_contains(allowed, network) for allowed in settings.METRICS_ALLOW)


def _contains(
    allowed: ipaddress.IPv4Network | ipaddress.IPv6Network,
    network: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> bool:
    if isinstance(allowed, ipaddress.IPv4Network):
        return isinstance(network, ipaddress.IPv4Network) and network.subnet_of(allowed)
    return isinstance(network, ipaddress.IPv6Network) and network.subnet_of(allowed)
