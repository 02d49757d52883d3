"""Style sheets hold what pages use, and nothing else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib import admin

ROOT: Path = settings.BASE_DIR
NOT_SERVED = {"tests", "bench", ".venv", "var"}
BLOCK = re.compile(r"{[^{}]*}")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CLASS = re.compile(r"\.([a-zA-Z][\w-]*)")
ATTRIBUTE = re.compile(r'class="((?:{%.*?%}|{{.*?}}|[^"{])*)"')
TAG, VARIABLE = re.compile(r"{%.*?%}"), re.compile(r"{{.*?}}")
QUOTED = re.compile(r'"([^"\n]*)"|`([^`]*)`')
WORD = re.compile(r"[\w-]+")
# A name that is put together ends here.
VARYING = "*"
WORD_OR_VARYING = re.compile(r"[\w-]+\*?")


def styled() -> set[str]:
    sheets = [path.read_text() for path in (ROOT / "static" / "css").glob("*.css")]
    return {name for it in sheets for name in CLASS.findall(BLOCK.sub("{}", COMMENT.sub("", it)))}


def in_templates() -> Iterator[str]:
    """Also what they hand to each other: `{% icon "x" "icon-l" %}`."""
    for path in (ROOT / "templates").rglob("*.html"):
        source = path.read_text()
        for value in ATTRIBUTE.findall(source):
            yield from VARIABLE.sub(VARYING, TAG.sub(" ", value)).split()
        for tag in TAG.findall(source):
            yield from WORD.findall(" ".join(re.findall(r'"([^"]*)"', tag)))


def in_the_admin() -> Iterator[str]:
    """Our sheet is laid over Django's own pages."""
    for folder in (Path(admin.__path__[0]), ROOT / "templates" / "admin"):
        for path in folder.rglob("*.*"):
            if path.suffix in (".html", ".css", ".py"):
                yield from WORD.findall(path.read_text())


def in_scripts() -> Iterator[str]:
    for path in (ROOT / "static" / "js").glob("*.js"):
        for quoted in QUOTED.findall(path.read_text()):
            yield from WORD.findall(" ".join(quoted))


def in_code() -> Iterator[str]:
    for path in ROOT.glob("[a-z]*/**/*.py"):
        if path.relative_to(ROOT).parts[0] not in NOT_SERVED:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.JoinedStr):
                    yield from WORD_OR_VARYING.findall(_joined(node))
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from WORD.findall(node.value)


def _joined(node: ast.JoinedStr) -> str:
    return "".join(str(it.value) if isinstance(it, ast.Constant) else VARYING for it in node.values)


def test_every_styled_class_is_used() -> None:
    used = {*in_templates(), *in_the_admin(), *in_scripts(), *in_code()}
    beginnings = {it.partition(VARYING)[0] for it in used if VARYING in it} - {""}
    assert {it for it in styled() - used if not it.startswith(tuple(beginnings))} == set()
