"""Text without what people cannot see. A model reads it all the same, so it can hide orders."""

import re
import unicodedata

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_NOT_ASCII = re.compile(r"[^\n\t -~]+")
# Control characters, marks of direction and other invisible ones, halves of characters.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs"})
# They hold emoji and some scripts together. Several in a row mean nothing, but can spell something.
_JOINERS = frozenset("\u200c\u200d")
_JOINERS_IN_A_ROW = re.compile("([\u200c\u200d])[\u200c\u200d]+")
# Letters and marks without a shape of their own: fillers, and the selectors of variants.
_SHAPELESS = frozenset(
    [
        *"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0",
        *map(chr, range(0x180B, 0x1810)),
        *map(chr, range(0xFE00, 0xFE10)),
        *map(chr, range(0xE0100, 0xE01F0)),
    ]
)


def without_hidden(text: str) -> str:
    """The text as a person sees it. All lines end in the same way."""
    shown = _NOT_ASCII.sub(lambda found: "".join(filter(_is_seen, found[0])), _LINE_ENDS.sub("\n", text))
    return _JOINERS_IN_A_ROW.sub(r"\1", shown)


def _is_seen(character: str) -> bool:
    if character in _JOINERS:
        return True
    return unicodedata.category(character) not in _HIDDEN_CATEGORIES and character not in _SHAPELESS
