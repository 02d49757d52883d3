from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from configuration.current import site
from web.refusals import Refusal, marked

from ..decorators import MemberRequest
from . import services
from .making import storage
from .register import parts


@login_required
@never_cache
def export(request: MemberRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request)
    try:
        services.ask_for_export(user=request.user)
    except Refusal as refusal:
        return _page(request, refusal)
    messages.success(request, gettext("Your export is being made."))
    return redirect("export")


@login_required
@never_cache
@require_safe
def download(request: MemberRequest) -> FileResponse:
    last = services.export_of(request.user)
    if last is None or not services.is_ready(last):
        raise Http404("There is no export, or it has expired.")
    name = slugify(f"{site().name}-{request.user.username}-{last.asked_at:%Y-%m-%d}")
    try:
        file = storage().open(last.file)
    except FileNotFoundError:
        raise Http404("The file of the export is gone: ask for another.") from None
    return FileResponse(file, as_attachment=True, filename=f"{name}.zip")


def _page(request: MemberRequest, refusal: Refusal | None = None) -> HttpResponse:
    last = services.export_of(request.user)
    context = {
        "export": last,
        "is_ready": last is not None and services.is_ready(last),
        "is_under_way": last is not None and services.is_under_way(last),
        "parts": parts(),
        "refusal": refusal,
    }
    response = render(request, "users/export.html", context)
    return marked(response, refusal)
