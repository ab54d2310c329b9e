"""Prompts that people write: cleaned of what they did not mean to say, and bounded. Pure."""

import re

from chatd.errors import BadInput
from chatd.kit.hidden import without_hidden

PROMPT_BYTES_MAX = 128 * 1024

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){3,}")


def cleaned(text: str, *, field: str = "prompt") -> str:
    """The text without what cannot be seen: a model reads it all the same, so an attacker may hide text.

    Raises BadInput when it is still too long.
    """
    kept = _BLANK_LINES.sub("\n\n\n", without_hidden(text)).strip()
    if len(kept.encode()) > PROMPT_BYTES_MAX:
        raise BadInput(
            "prompt_too_long", f"A prompt has at most {PROMPT_BYTES_MAX // 1024} KiB.", field=field
        )
    return kept
