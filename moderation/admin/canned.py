"""Canned answers, which administrators write. Nobody edits cases, notes or appeals here."""

from django.contrib import admin

from ..models import CannedAnswer


@admin.register(CannedAnswer)
class CannedAnswerAdmin(admin.ModelAdmin[CannedAnswer]):
    list_display = ("title", "measure", "language", "place", "words")
    list_filter = ("measure", "language")
    fields = ("measure", "language", "title", "words", "place")
