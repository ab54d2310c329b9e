"""Prompts that people write: cleaned of what they did not mean to say, and bounded. Pure."""

import re
import unicodedata

from chatd.errors import BadInput

PROMPT_BYTES_MAX = 128 * 1024

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){3,}")
_LINE_ENDS = re.compile(r"\r\n?|\u2028|\u2029")
# They hold emoji and some scripts together.
_JOINERS = frozenset("\u200c\u200d")


def cleaned(text: str, *, field: str = "prompt") -> str:
    """The text without what cannot be seen: a model reads it all the same, so an attacker may hide text.

    Raises BadInput when it is still too long.
    """
    kept = "".join(each for each in _LINE_ENDS.sub("\n", text) if _is_meant(each))
    kept = _BLANK_LINES.sub("\n\n\n", kept).strip()
    if len(kept.encode()) > PROMPT_BYTES_MAX:
        raise BadInput(
            "prompt_too_long", f"A prompt has at most {PROMPT_BYTES_MAX // 1024} KiB.", field=field
        )
    return kept


def _is_meant(character: str) -> bool:
    if character in "\n\t" or character in _JOINERS:
        return True
    # Control characters, marks of direction and other invisible ones, and halves of characters.
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs"}
