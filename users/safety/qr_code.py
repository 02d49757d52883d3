"""QR codes as SVG inside the page: no request to anybody else, who would see what they say."""

import segno
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

# For cameras: dark on light, whatever the colours of the page are.
DARK, LIGHT = "#000", "#fff"


def svg_of(text: str) -> SafeString:
    """The text is drawn, not written: nothing in it can be taken for markup."""
    code = segno.make(text, error="m", micro=False)
    svg = code.svg_inline(scale=4, border=4, dark=DARK, light=LIGHT, omitsize=True)
    return SafeString(
        svg.replace("<svg ", format_html('<svg role="img" aria-label="{}" ', gettext("QR code")), 1)
    )
