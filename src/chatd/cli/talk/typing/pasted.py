"""Long text that was pasted: a few words stand for it in the field, and it is sent whole."""

# What is shorter is shown as it is.
LINES_MIN = 10
LENGTH_MIN = 2000


class Pasted:
    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """What is put into the field for it."""
        lines = text.removesuffix("\n").count("\n") + 1
        if lines < LINES_MIN and len(text) < LENGTH_MIN:
            return text
        size = f"{lines:,} lines" if lines >= LINES_MIN else f"{len(text):,} characters"
        mark = f"[pasted {len(self._texts) + 1}: {size}]"
        self._texts[mark] = text
        return mark

    def whole(self, text: str) -> str:
        """With all that was pasted."""
        for mark, pasted in self._texts.items():
            text = text.replace(mark, pasted, 1)
        return text

    def mark_at_end(self, text: str) -> str:
        """The mark with which the text ends; empty: none."""
        return next((mark for mark in self._texts if text.endswith(mark)), "")

    def forget(self) -> None:
        self._texts.clear()
