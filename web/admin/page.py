"""The base of every page of the admin: quick on tables of a million rows, and read-only at first.

A page says what it `allows` ("add", "change", "delete"), what it `finds` (`finding.py`), and which
of its filters have an index (`filters.py`, `listing.py`). A deletion goes through `remove`.
"""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import BigIntegerField, IntegerField, Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext

from ..refusals import Refusal
from ..sql.big_tables import BoundedPaginator, number_in
from . import leads, listing, more_pages
from .finding import Finder
from .listing import BoundedList
from .words import Words, call

M = TypeVar("M", bound=Model)
Strings = list[str] | tuple[str, ...]


class AdminPage(admin.ModelAdmin[M]):
    # What a row is called, and several; no migration is needed for that.
    words: ClassVar[tuple[Words, Words] | None] = None
    allows: ClassVar[Collection[str]] = ()
    finds: ClassVar[Sequence[Finder]] = ()
    # Django asks for it where `finds` says what is searched.
    search_fields: ClassVar[Strings] = ("pk",)
    # Their columns. Other filters look at the newest rows only.
    indexed_filters: ClassVar[Collection[str]] = ()
    ordering: ClassVar[Any] = ("-pk",)
    # A click on a heading would sort the whole table.
    sortable_by: ClassVar[Strings] = ()
    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator
    change_list_template = "admin/list.html"
    change_form_template = "admin/row.html"

    def __init__(self, model: type[M], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        call(model, self.words)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return "add" in self.allows and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "change" in self.allows and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "delete" in self.allows and super().has_delete_permission(request, obj)

    # Lists

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[BoundedList]:  # noqa: ARG002 - Django's
        return BoundedList

    def looks_at(self, _request: HttpRequest) -> int:
        """How many rows a filter without an index may look at."""
        return listing.LOOKED_AT

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        """What the columns show, and what the page adds."""
        relations = {it.name for it in self.opts.fields if it.remote_field}
        shown = [it for it in self.get_list_display(request) if it in relations]
        more = self.list_select_related
        return list(dict.fromkeys([*shown, *(more if isinstance(more, list | tuple) else ())]))

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Takes only the filters that the page offers.

        Django takes any column, also through related tables: `?statuses=17` tells by its count who
        wrote a post that the reader can't see, and `?text__contains=x` reads the whole table.
        """
        offered = {_parameter(it) for it in self.get_list_filter(request)}
        is_offered = lookup in offered or lookup.split("__")[0] in offered
        return is_offered and super().lookup_allowed(lookup, value, request)

    def get_search_fields(self, request: HttpRequest) -> Any:
        """Without them, there is no box to search with."""
        return super().get_search_fields(request) if self.finds else ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        """Searches only what has an index."""
        term = search_term.strip()
        if not term:
            return queryset, False
        found = Q()
        for find in self.finds_for(request):
            found |= find(term)
        return queryset.filter(found) if found else queryset.none(), False

    def finds_for(self, _request: HttpRequest) -> Sequence[Finder]:
        return self.finds

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Answers bad ids, on which Django would fail."""
        has_numbers = isinstance(self.opts.pk, IntegerField | BigIntegerField)
        chosen = request.POST.getlist("_selected_action")
        if has_numbers and None in map(number_in, chosen):
            raise BadRequest("Select rows by their numbers.")
        return super().changelist_view(request, extra_context)

    # One row

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        extra_context = {"page_of_row": self} | (extra_context or {})
        return super().change_view(request, object_id, form_url, extra_context)

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if row := kwargs.get("obj"):
            context["leads"] = leads.of(self.admin_site, request, row)
        return super().render_change_form(request, context, *args, **kwargs)

    def get_urls(self) -> list[URLPattern]:
        ours = [
            path(
                f"<path:object_id>/{page.name}/",
                self.admin_site.admin_view(self._more(page)),
                name=f"{self.opts.app_label}_{self.opts.model_name}_{page.name}",
            )
            for page in more_pages.of(self.model)
        ]
        return ours + super().get_urls()

    def _more(self, page: more_pages.MorePage) -> Any:
        def view(request: HttpRequest, object_id: str) -> HttpResponse:
            row = self.get_object(request, object_id)
            if not self.has_view_permission(request, row) or not page.may(request):
                raise PermissionDenied
            if row is None:
                raise Http404("There is no such row.")
            return page.view(request, self, row)

        return view

    # Deletion

    def remove(self, row: M) -> None:
        """By the service that deletes it on the site. Pages that allow deletion define it."""
        raise NotImplementedError

    def delete_model(self, request: HttpRequest, obj: M) -> None:
        """Some rows may not be deleted by all who may delete others."""
        if not self.has_delete_permission(request, obj):
            words = gettext("You may not delete %(row)s.") % {"row": obj}
            raise Refusal(words, code="rank", status=403)
        self.remove(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> None:
        for row in queryset:
            self.delete_model(request, row)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Only the rows: what goes with them can be a million others, and needs no permission."""
        rows = list(objs)
        may = all(self.has_delete_permission(request, row) for row in rows)
        counts = {self.opts.verbose_name_plural: len(rows)}
        return list(map(str, rows)), counts, set() if may else {self.opts.verbose_name}, []


def _parameter(list_filter: Any) -> str:
    if isinstance(list_filter, str):
        return list_filter
    return str(list_filter.parameter_name)
