"""Canned answers, which administrators write. Nobody edits cases, notes or appeals here."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from web.admin.page import AdminPage

from ..models import CannedAnswer


@admin.register(CannedAnswer)
class CannedAnswerAdmin(AdminPage[CannedAnswer]):
    words = _("canned answer"), _("canned answers")
    allows = ("add", "change", "delete")
    list_display = ("title", "measure", "language", "place", "words")
    list_filter = ("measure", "language")
    ordering = ("language", "measure", "place", "id")
    fields = ("measure", "language", "title", "words", "place")

    def remove(self, row: CannedAnswer) -> None:
        row.delete()
