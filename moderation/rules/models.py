from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from web.plain_text import validate_line

from ..categories import Category
from .patterns import LONGEST, Pattern, cleaned


class RuleAction(models.TextChoices):
    REFUSE = "refuse", _("Refuse it, and say why")
    REPORT = "report", _("Let it through, and report it to the moderators")


class Rule(models.Model):
    """What nobody may write or come from. `pattern` is in the form that `patterns.py` gives it."""

    kind = models.CharField(
        _("kind"), max_length=10, choices=Pattern.choices, default=Pattern.WORDS
    )
    pattern = models.CharField(_("pattern"), max_length=LONGEST, validators=[validate_line])
    action = models.CharField(
        _("what happens"), max_length=10, choices=RuleAction.choices, default=RuleAction.REPORT
    )
    category = models.CharField(
        _("category"),
        max_length=20,
        choices=Category.choices,
        default=Category.SPAM,
        help_text=_("Under which it is reported."),
    )
    note = models.CharField(
        _("note"),
        max_length=200,
        blank=True,
        validators=[validate_line],
        help_text=_("Why there is this rule. Only moderators read it."),
    )
    is_on = models.BooleanField(_("on"), default=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name, verbose_name_plural = _("rule"), _("rules")
        constraints = [models.UniqueConstraint(fields=["kind", "pattern"], name="rule_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.pattern}"

    def clean(self) -> None:
        if self.kind in Pattern.values:
            self.pattern = cleaned(Pattern(self.kind), self.pattern)
