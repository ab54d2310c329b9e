"""Entries of the audit as lines of a file (pure): NDJSON, or CSV as RFC 4180 has it."""

from collections.abc import Sequence

from msgspec import Struct

from chatd.kit.codec import encode_text
from chatd.kit.text import one_line, visible_json

COLUMNS = (
    "at",
    "id",
    "actor_id",
    "actor",
    "on_behalf_of_id",
    "on_behalf_of",
    "via",
    "token_id",
    "address",
    "request_id",
    "deed",
    "target_kind",
    "target_id",
    "outcome",
    "changes",
)
# With these at its beginning, programs for tables take a cell for a formula.
_FORMULAS = ("=", "+", "-", "@", "\t")
_QUOTED = frozenset('",')


def ndjson_line(view: Struct) -> bytes:
    """What a terminal or an editor would obey is escaped, so that nothing is lost."""
    return visible_json(encode_text(view)).encode("utf-8", "replace") + b"\n"


def csv_line(cells: Sequence[str]) -> bytes:
    return (",".join(map(csv_cell, cells)) + "\r\n").encode("utf-8", "replace")


def csv_cell(text: str) -> str:
    """As text and never as a formula, without what cannot be seen or turns the direction of a line."""
    shown = one_line(text)
    if text.startswith(_FORMULAS) or shown.startswith(_FORMULAS):
        shown = f"'{shown}"
    return '"' + shown.replace('"', '""') + '"' if _QUOTED & set(shown) else shown
