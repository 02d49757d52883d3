"""Names for fields that refer to another row, as somebody types them."""

from django.contrib import admin
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from .page import AdminPage

# No name is longer.
LONGEST = 200


class _Completion(AutocompleteJsonView):
    """Finds what the list of those rows finds, for those who may open it: nothing more is told."""

    def process_request(self, request: HttpRequest) -> tuple[str, AdminPage, object, str]:  # type: ignore[override, type-arg] # Django's stubs know no more
        term, page, field, column = super().process_request(request)
        if not isinstance(page, AdminPage) or not term.isprintable() or len(term) > LONGEST:
            raise Http404("Nothing is completed here.")
        return term, page, field, column


def complete(request: HttpRequest) -> HttpResponseBase:
    if not request.GET.get("page", "1").isdecimal():
        raise Http404("There is no such page.")
    return _Completion.as_view(admin_site=admin.site)(request)
