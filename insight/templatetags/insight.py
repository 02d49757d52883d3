"""How figures and times stand on the pages of insight."""

from datetime import UTC, datetime

from django import template
from django.template.defaultfilters import date
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..dashboard.numbers import duration, whole

register = template.Library()

# Until a script writes them in the reader's zone. Days are those of UTC.
FORMATS = {"second": "H:i:s", "minute": "H:i", "hour": "j M H:i", "day": "j M"}
TIME = '<time datetime="{}" data-shows="{}">{}</time>'

register.filter("duration", duration)
register.filter("whole", whole)


@register.simple_tag
def moment(second: int, shows: str) -> SafeString:
    at = datetime.fromtimestamp(second, UTC)
    return format_html(TIME, f"{at:%Y-%m-%dT%H:%M:%SZ}", shows, date(at, FORMATS[shows]))
