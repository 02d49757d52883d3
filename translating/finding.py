"""The strings in code and templates that go through gettext. Templates are read by Django's own
parser, so that the strings are the ones that it looks up.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.template import Engine, TemplateSyntaxError, engines
from django.template.base import Node, Template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

ROOT = Path(__file__).resolve().parent.parent
# Developers, and those who type commands, read English.
NOT_FOR_READERS = frozenset(
    "tests bench demo translating migrations management deploy var .venv".split()
)
READ_BY_PEOPLE = frozenset({".html", ".txt", ".xml"})
# For each function, which of its arguments are the context, the text and its plural.
ARGUMENTS = {
    "_": (None, 0, None),
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
    "npgettext_lazy": (0, 1, 2),
}
_in_tags = re.compile(r"""_\(("[^"]*"|'[^']*')\)""")


class Words(NamedTuple):
    text: str
    plural: str = ""
    context: str = ""


class NotALiteral(ValueError):  # noqa: N818 - reads as what it is
    """Something is translated that can't be found by reading the code."""


def all_words() -> dict[Words, set[str]]:
    found: dict[Words, set[str]] = {}
    for path in (*code_files(), *template_files()):
        words_of = in_code if path.suffix == ".py" else in_template
        for words in words_of(path):
            found.setdefault(words, set()).add(name_of(path))
    return found


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def code_files() -> Iterator[Path]:
    yield from (path for path in sorted(ROOT.rglob("*.py")) if _is_for_readers(path))


def template_files() -> Iterator[Path]:
    files = sorted((ROOT / "templates").rglob("*.*"))
    yield from (it for it in files if it.suffix in READ_BY_PEOPLE and _is_for_readers(it))


def _is_for_readers(path: Path) -> bool:
    return not NOT_FOR_READERS & set(path.relative_to(ROOT).parts)


def in_code(path: Path) -> Iterator[Words]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and (places := ARGUMENTS.get(_called(node.func))):
            if not node.args:
                continue
            context, text, plural = (
                "" if place is None else _literal(node.args[place], path) for place in places
            )
            yield Words(text, plural, context)


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _literal(node: ast.expr, path: Path) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise NotALiteral(f"{name_of(path)}:{node.lineno}: only a literal can be translated")


def in_template(path: Path) -> Iterator[Words]:
    source = path.read_text()
    template = _parsed(source, path)
    for node in template.nodelist.get_nodes_by_type(Node):
        if isinstance(node, TranslateNode):
            yield Words(_translated(node), "", _context(node))
        elif isinstance(node, BlockTranslateNode):
            plural = node.render_token_list(node.plural)[0] if node.plural else ""
            yield Words(node.render_token_list(node.singular)[0], plural, _context(node))
    yield from (Words(match[1][1:-1]) for match in _in_tags.finditer(source))


def _parsed(source: str, path: Path) -> Template:
    backend = engines["django"]
    engine: Engine = backend.engine  # type: ignore[attr-defined] # Django's backend has one
    try:
        return engine.from_string(source)
    except TemplateSyntaxError as error:
        raise TemplateSyntaxError(f"{name_of(path)}: {error}") from error


def _translated(node: TranslateNode) -> str:
    """As Django looks it up: with doubled percent signs."""
    return str(node.filter_expression.var.literal).replace("%", "%%")


def _context(node: TranslateNode | BlockTranslateNode) -> str:
    context = node.message_context
    return str(getattr(context.var, "literal", context.var)) if context else ""
