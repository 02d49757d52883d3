"""How figures and times stand on the pages of insight."""

from datetime import UTC, datetime

from django import template
from django.template.defaultfilters import date
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..dashboard.numbers import duration, whole

register = template.Library()

# Until a script writes them in the reader's zone. Days are those of UTC.
DAY, MINUTE = "MONTH_DAY_FORMAT", "H:i"
FORMATS = {"second": ["H:i:s"], "minute": [MINUTE], "hour": [DAY, MINUTE], "day": [DAY]}
TIME = '<time datetime="{}" data-shows="{}">{}</time>'

register.filter("duration", duration)
register.filter("whole", whole)


@register.simple_tag
def moment(second: int, shows: str) -> SafeString:
    at = datetime.fromtimestamp(second, UTC)
    words = " ".join(date(at, it) for it in FORMATS[shows])
    return format_html(TIME, f"{at:%Y-%m-%dT%H:%M:%SZ}", shows, words)
