"""Output as a model and a person read it: without what commands a terminal (pure)."""

import re

from chatd.kit.text import visible

# Sequences that begin with ESC: colours and movements (CSI), titles and links (OSC and the like), the rest.
_SEQUENCES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]"
)
_LINE_ENDS = re.compile(r"\r\n?")


def readable(text: str) -> str:
    """A lone carriage return, with which progress bars begin again, is the end of a line."""
    if "\x1b" in text or "\x9b" in text:
        text = _SEQUENCES.sub("", text)
    return visible(_LINE_ENDS.sub("\n", text))
