"""The title of a chat until it is given one: how its first message begins."""

from chatd.domain.part import Content, Text
from chatd.kit.text import one_line, shortened

WORDS = 6
LENGTH_MAX = 80
# As much of a message is looked at for its first words.
LOOKED_AT_MAX = 1000
UNTITLED = "New chat"


def fallback_title(content: Content) -> str:
    source = next((part.text for part in content if isinstance(part, Text)), "")
    words = one_line(source.lstrip()[:LOOKED_AT_MAX]).split(" ")
    begun = " ".join(words[:WORDS]) + ("…" if len(words) > WORDS else "")
    return shortened(begun, LENGTH_MAX) or UNTITLED
