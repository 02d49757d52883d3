"""Text as rules compare it: one form for all ways to write a word, disguised ones too.

Case and width are as for muted words. Signs that nobody sees fall away, as do strokes through
letters. In words that mix alphabets, letters that look like Latin ones are taken for these; a word
of one alphabet stays as it is.
"""

import regex

from relations.blocks_and_mutes.muted_words import fold

_unseen = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}\u0334-\u0338\u20D0-\u20F0]+")
_mixed = regex.compile(r"\b(?=\w*[a-z])(?=\w*[\p{Cyrillic}\p{Greek}])\w+")
# By how they look as capitals too: the Cyrillic V is a B then.
_CYRILLIC = dict(zip("авсԁеһніјкӏмопрԛѕтуѵԝхѐё", "abcdehhijklmonpqstyvwxee", strict=True))
_GREEK = dict(zip("αβεηικμνορτυχ", "abehikmvoptux", strict=True))
_LATIN = str.maketrans(_CYRILLIC | _GREEK)


def undisguised(text: str) -> str:
    """Changes nothing that went through it before."""
    if text.isascii():
        return fold(text)
    return _mixed.sub(_in_latin, fold(_unseen.sub("", text)))


def _in_latin(word: regex.Match[str]) -> str:
    return word[0].translate(_LATIN)
