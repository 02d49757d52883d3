"""Languages that people write and speak, to choose from. Those of the pages are others:
`languages.py`.
"""

from django.utils.translation import get_language_info

# Where a browser asks for another, its reader can choose that too.
OFFERED = (
    "ar bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu id is it ja ka ko lt lv "
    "ms nb nl pl pt pt-BR ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh zh-TW"
).split()
# Both ways of writing it.
CHINESE = {"zh": "中文"}


def own_name(code: str) -> str:
    try:
        return CHINESE.get(code) or str(get_language_info(code.lower())["name_local"])
    except KeyError:
        return code
