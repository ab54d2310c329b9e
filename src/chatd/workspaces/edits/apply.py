"""Edits of one text, in order, each seeing the result of the one before (pure).

Three passes look for `old_text`: as it is; line by line without trailing white space; line by line without
leading and trailing white space. The first pass with a match wins.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from chatd.workspaces.edits.diff import Spans
from chatd.workspaces.edits.hints import hint
from chatd.workspaces.edits.matching import Hit, Wanted, exact_hits, hits_by_line, newline_of
from chatd.workspaces.files import EDIT_BYTES_MAX, TextEdit

# Bounds the memory that a short `old_text` in a large file would take.
HITS_MAX = 100_000


class EditError(Exception):
    """An edit does not fit the text. Says why, and what the model can do about it."""


class Edited(Struct, frozen=True):
    text: str
    # Which parts of the text were replaced.
    spans: Spans


_PASSES: tuple[Callable[[str, Wanted, int], list[Hit]], ...] = (
    exact_hits,
    lambda text, wanted, limit: hits_by_line(text, wanted, limit, key=str.rstrip),
    lambda text, wanted, limit: hits_by_line(text, wanted, limit, key=str.strip),
)


def _go_on() -> None:
    """Nothing stops the edits half-way."""


def apply_edits(text: str, edits: Sequence[TextEdit], *, between: Callable[[], None] = _go_on) -> Edited:
    """The text after all edits. Raises EditError, which names the edit by its index.

    `between` is called before each edit: one of a large file takes a moment, and it may raise.
    """
    spans = Spans()
    for index, edit in enumerate(edits):
        between()
        try:
            hits = _hits(text, edit)
        except EditError as error:
            raise EditError(f"edits[{index}]: {error}") from None
        text = _replaced(text, hits)
        spans = spans.after(hits)
    return Edited(text, spans)


def _hits(text: str, edit: TextEdit) -> list[Hit]:
    if not edit.old_text:
        raise EditError("old_text is empty. Quote the text that is to be replaced.")
    wanted = Wanted.of(edit.old_text, edit.new_text, newline_of(text))
    hits = next((hits for look in _PASSES if (hits := look(text, wanted, HITS_MAX + 1))), [])
    if not hits:
        raise EditError(_not_found(text, edit))
    if len(hits) > 1 and not edit.replace_all:
        raise EditError(
            f"old_text is there {_times(hits)}, on lines {_lines(text, hits)}. "
            "Quote more of what surrounds it, or set replace_all."
        )
    if len(hits) > HITS_MAX:
        raise EditError(f"old_text is there more than {HITS_MAX} times. Quote a longer text.")
    grown = len(text) + sum(len(hit.text) - (hit.end - hit.start) for hit in hits)
    if grown > EDIT_BYTES_MAX:
        raise EditError(
            f"the file would become larger than {EDIT_BYTES_MAX // 2**20} MiB. Replace less at once."
        )
    return hits


def _not_found(text: str, edit: TextEdit) -> str:
    advice = hint(text, edit.old_text, edit.new_text)
    words = "old_text was not found."
    return f"{words} {advice}" if advice else f"{words} Read the file again and quote it exactly."


def _times(hits: list[Hit]) -> str:
    return f"more than {HITS_MAX} times" if len(hits) > HITS_MAX else f"{len(hits)} times"


def _lines(text: str, hits: list[Hit]) -> str:
    numbers: list[str] = []
    line, position = 1, 0
    for hit in hits[:5]:
        line += text.count("\n", position, hit.start)
        position = hit.start
        numbers.append(str(line))
    return ", ".join(numbers) + (" and more" if len(hits) > len(numbers) else "")


def _replaced(text: str, hits: Sequence[Hit]) -> str:
    pieces: list[str] = []
    position = 0
    for hit in hits:
        pieces += (text[position : hit.start], hit.text)
        position = hit.end
    return "".join((*pieces, text[position:]))
