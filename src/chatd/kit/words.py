"""Words to search by. Case and accents do not matter, and scripts without spaces can be searched too. Pure.

A text in Chinese or Thai has no spaces between its words. There every two neighbouring characters are a word,
and the last character by itself, so that a single one can be looked for as a beginning.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from msgspec import Struct

from chatd.kit.text import one_line

# Of a text. What comes later in a long one is not found.
INDEXED_CHARACTERS_MAX = 16_384
# Longer ones are cut, here and there alike: they are keys and hashes, not words.
WORD_CHARACTERS_MAX = 64
SNIPPET_CHARACTERS = 160
# Of these, how many come before the word that was found.
SNIPPET_CHARACTERS_BEFORE = 40

# Thai and Lao, Myanmar, Khmer, kana, Chinese characters, Hangul, further Chinese characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_PIECE = re.compile(rf"(?P<run>(?:(?!\W)[{_UNSPACED}])+)|[^\W_{_UNSPACED}]+")
# The same before accents are removed: a mark belongs to the word around it.
_SPELLED = re.compile(r"\S+")


class Term(Struct, frozen=True):
    """A word that must be in a text, or its beginning."""

    word: str
    is_beginning: bool = False


def folded(text: str) -> str:
    """The text without case and accents."""
    if text.isascii():
        return text.lower()
    bare = "".join(
        c for c in unicodedata.normalize("NFKD", text) if not unicodedata.category(c).startswith("M")
    )
    return unicodedata.normalize("NFC", bare.casefold())


def words_of(text: str) -> list[str]:
    """The different words of the beginning of a text."""
    return list(dict.fromkeys(_words(folded(text[:INDEXED_CHARACTERS_MAX]))))


def terms_of(query: str) -> list[Term]:
    """What a text must have to be found."""
    found: dict[Term, None] = {}
    for piece in _PIECE.finditer(folded(query)):
        run = piece["run"]
        if run is None:
            found[Term(piece[0][:WORD_CHARACTERS_MAX])] = None
        elif len(run) == 1:
            found[Term(run, is_beginning=True)] = None
        else:
            found |= dict.fromkeys(Term(pair) for pair in _pairs(run))
    return list(found)


def snippet(text: str, terms: Sequence[Term]) -> str:
    """A piece of the text around the first word that was found, on one line."""
    text = text[:INDEXED_CHARACTERS_MAX]
    start = max(0, _place_of(text, terms) - SNIPPET_CHARACTERS_BEFORE)
    if start:
        # From the beginning of a word on, unless that is far away.
        blank = text.find(" ", start, start + SNIPPET_CHARACTERS_BEFORE // 2)
        start = blank + 1 if blank >= 0 else start
    piece = text[start : start + SNIPPET_CHARACTERS]
    before = "…" if start else ""
    after = "…" if start + SNIPPET_CHARACTERS < len(text) else ""
    return before + one_line(piece) + after


def _place_of(text: str, terms: Sequence[Term]) -> int:
    wanted = {term.word for term in terms}
    for spelled in _SPELLED.finditer(text):
        words = list(_words(folded(spelled[0])))
        if wanted.intersection(words):
            return spelled.start() + _offset_in(spelled[0], wanted)
    return 0


def _offset_in(spelled: str, wanted: set[str]) -> int:
    """Where in a long run without spaces it is; folding keeps places close enough for a snippet."""
    text = folded(spelled)
    return min((at for word in wanted if (at := text.find(word)) >= 0), default=0)


def _words(text: str) -> Iterator[str]:
    for piece in _PIECE.finditer(text):
        run = piece["run"]
        if run is None:
            yield piece[0][:WORD_CHARACTERS_MAX]
        else:
            yield from _pairs(run)
            yield run[-1]


def _pairs(run: str) -> Iterator[str]:
    return (run[at : at + 2] for at in range(len(run) - 1))
