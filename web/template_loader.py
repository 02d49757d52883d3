"""Templates are written for people, an element a line; browsers get them without the white space.
It is taken out once, when a template is compiled; what people wrote comes in later.
"""

import re

from django.template import Origin
from django.template.loaders.filesystem import Loader as FilesystemLoader

PREFORMATTED = re.compile(r"(<pre\b.*?</pre>)", re.DOTALL)
COMMENT = re.compile(r"{% comment %}.*?{% endcomment %}\n?|{#.*?#}", re.DOTALL)
INDENTATION = re.compile(r"\s*\n\s*")
# Tags that write nothing, and the line breaks after them.
NAMES = r"if|elif|else|endif|for|empty|endfor|with|endwith|load|url [^%]*? as"
STRUCTURE = rf"(?:{{% (?:{NAMES})\b[^%]*%}}\n?)"
# The beginning of an element that has a content; its attributes may come from Django's tags.
VALUE = r'"(?:{%.*?%}|{{.*?}}|[^"{])*"'
VOID = r"br|circle|hr|img|input|link|meta|path|source|use"
ATTRIBUTES = rf"(?:{VALUE}|{{%.*?%}}|{{{{.*?}}}}|[^<>\"{{])*"
OPENING = rf"<(?!(?:{VOID})\b)[a-z]{ATTRIBUTES}>"
TAG = re.compile(rf"<[a-z]{ATTRIBUTES}>")
AFTER_OPENING = re.compile(rf"({OPENING}|{{% block [^%]*%}})(\n?{STRUCTURE}*)")
BEFORE_CLOSING = re.compile(rf"\n{STRUCTURE}*(?=</[a-z]|{{% endblock)")
LINES_OF_STRUCTURE = re.compile(rf"(?<=\n){STRUCTURE}+(?<=\n)")


class Loader(FilesystemLoader):
    def get_contents(self, origin: Origin) -> str:
        contents: str = super().get_contents(origin)
        return collapsed(contents) if str(origin.name).endswith(".html") else contents


def collapsed(template: str) -> str:
    """A line break between two elements stays one: it may separate two words.

    At the edges of an element it goes, with indentation, empty lines and lines of mere structure;
    `<pre>` stays as it is.
    """
    parts = PREFORMATTED.split(COMMENT.sub("", template))
    parts[::2] = [_collapsed(part) for part in parts[::2]]
    return "".join(parts)


def _collapsed(part: str) -> str:
    part = TAG.sub(lambda it: INDENTATION.sub(" ", it[0]), part)
    part = INDENTATION.sub("\n", part)
    part = AFTER_OPENING.sub(lambda it: it[1] + _joined(it[2]), part)
    part = BEFORE_CLOSING.sub(lambda it: _joined(it[0]), part)
    return LINES_OF_STRUCTURE.sub(lambda it: _joined(it[0]), part)


def _joined(lines: str) -> str:
    return lines.replace("\n", "")
