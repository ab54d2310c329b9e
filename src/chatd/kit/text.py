"""Text that people see, on one line or on a terminal; and text that must be fit to be sent."""

import json
import unicodedata
from typing import Any

# Control characters, lone surrogates, and the separators that break a line.
_BREAKING = frozenset({"Cc", "Zl", "Zp"})
_INVISIBLE = frozenset({"Cf", "Cs"})
# They hold emoji and some scripts together.
_JOINERS = frozenset("\u200c\u200d")
_KEPT = frozenset("\n\t")
_SEPARATORS = frozenset({"Zl", "Zp"})


def is_plain(text: str) -> bool:
    """Whether the text can be shown on one line and stored in a column, exactly as it is."""
    return text.isprintable() or not any(_breaks(c) or _hides(c) for c in text)


def one_line(text: str) -> str:
    """The text without what cannot be shown, and with single blanks."""
    if not text.isprintable():
        text = "".join(" " if _breaks(c) else c for c in text if not _hides(c))
    return " ".join(text.split())


def visible(text: str) -> str:
    """The text as a terminal may show it, on any number of lines.

    Without control characters, which a terminal would obey, and without what hides text or changes its
    direction. Each character is judged alone, so that pieces of a text can be cleaned as they come.
    """
    if text.isprintable():
        return text
    return "".join(shown for c in text if (shown := _visible(c)))


def visible_json(text: str) -> str:
    """The same JSON with escapes for what `visible` would leave out, so that nothing is lost."""
    if text.isprintable():
        return text
    return "".join(c if _visible(c) == c else json.dumps(c)[1:-1] for c in text)


def shortened(text: str, length_max: int) -> str:
    return text if len(text) <= length_max else text[: length_max - 1].rstrip() + "…"


def valid_text(text: str) -> str:
    """The text with what UTF-8 cannot say replaced: half surrogate pairs, which some programs print."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def valid_json(value: Any) -> Any:
    """The same JSON, with every text in it made valid."""
    match value:
        case str():
            return valid_text(value)
        case dict():
            return {valid_text(key): valid_json(inner) for key, inner in value.items()}
        case list() | tuple():
            return [valid_json(inner) for inner in value]
        case _:
            return value


def _visible(character: str) -> str:
    if character.isprintable() or character in _KEPT:
        return character
    if unicodedata.category(character) in _SEPARATORS:
        return "\n"
    return "" if _breaks(character) or _hides(character) else character


def _breaks(character: str) -> bool:
    return unicodedata.category(character) in _BREAKING


def _hides(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE and character not in _JOINERS
