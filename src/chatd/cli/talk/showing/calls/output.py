"""What a call prints while it runs (pure): all of it within a bound, and its end for a small place."""

import re

from chatd.kit.text import visible

# More than that of one call is not kept; its end is.
KEPT_LENGTH_MAX = 200_000

# Colours and movements of the cursor. What is left of others is dropped by `visible`.
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


class CallOutput:
    def __init__(self) -> None:
        self._text = ""
        self._lines_dropped = 0

    def add(self, text: str) -> None:
        self._text += text
        if len(self._text) > 2 * KEPT_LENGTH_MAX:
            dropped, self._text = self._text[:-KEPT_LENGTH_MAX], self._text[-KEPT_LENGTH_MAX:]
            self._lines_dropped += dropped.count("\n")

    def clear(self) -> None:
        self._text, self._lines_dropped = "", 0

    @property
    def is_empty(self) -> bool:
        return not self._text.strip()

    def lines(self) -> list[str]:
        return shown_lines(self._text)

    def last_lines(self, count: int) -> tuple[int, list[str]]:
        """How many lines are before them, and so many of the last ones."""
        text = self._text.rstrip("\n")
        last = text.rsplit("\n", count)[-count:]
        before = text.count("\n") + 1 - len(last)
        return self._lines_dropped + before, shown_lines("\n".join(last))


def shown_lines(output: str) -> list[str]:
    """As they look on a terminal: without colours, and of a line that was written over, what is on top."""
    text = _ESCAPES.sub("", output.replace("\r\n", "\n")).rstrip("\n")
    return [visible(line.rstrip("\r").rpartition("\r")[2]) for line in text.split("\n")] if text else []
