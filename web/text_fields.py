"""Fields for people's own words, without `maxlength`: browsers count UTF-16 code units there, and
would cut a family emoji in two. `static/js/compose.js` counts code points, like the server.
"""

from typing import Any

from django import forms


class LineField(forms.CharField):
    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        attributes: dict[str, Any] = super().widget_attrs(widget)
        attributes.pop("maxlength", None)
        if self.max_length is None:
            return attributes
        return attributes | {"data-longest": self.max_length, "data-counts": "code-points"}


class MultilineField(LineField):
    """Counts a new line as one character, like the browser, which sends two."""

    widget = forms.Textarea(attrs={"rows": 4})

    def to_python(self, value: str | None) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n")
