from typing import Any

import rjsmin
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

Base: Any = CompressedManifestStaticFilesStorage


class StaticFiles(Base):  # type: ignore[misc]  # WhiteNoise has no types
    """Compressed and named by their content; scripts without comments and indentation."""

    support_js_module_import_aggregation = True
    # Only ours: what packages ship may import what is not there.
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        Base._js_module_import_aggregation_patterns[1],
    )

    def _save(self, name: str, content: Any) -> str:
        if name.startswith("js/") and name.endswith(".js"):
            source = b"".join(content.chunks()).decode()
            content = ContentFile(rjsmin.jsmin(source).encode())
        return str(super()._save(name, content))
