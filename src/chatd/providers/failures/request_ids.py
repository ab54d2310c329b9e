"""The id by which a provider finds a call again: chosen from what it sends, and safe to log (pure).

Some gateways put there what they were sent. So an id that holds a key, or looks like one, is none.
"""

import re
from collections.abc import Mapping, Sequence

from chatd.providers.failures.secrets import HIDDEN, without_keys, without_secrets

CHARACTERS_MAX = 200

_ENDINGS = ("request-id", "requestid")
_UNSAFE = re.compile(r"[^A-Za-z0-9._:/+=@-]")


def request_id_in(headers: Mapping[str, str]) -> str:
    """As it came. Each provider has its own name for it, with the same ending; names are in lower case."""
    return next((value for name, value in headers.items() if is_request_id(name)), "")


def is_request_id(header: str) -> bool:
    return header.endswith(_ENDINGS)


def safe_request_id(text: str, keys: Sequence[str] = ()) -> str | None:
    """Of the safe alphabet and of a bounded length; None where nothing is left, or a key would be."""
    kept = _safe(text)
    # A key may have lost the same marks on its way here as the id does.
    known = (*keys, *(bare for key in keys if (bare := _safe(key)) != key))
    if not kept or _holds_key(kept, known) or (kept != text and _holds_key(text, known)):
        return None
    return kept[:CHARACTERS_MAX]


def _safe(text: str) -> str:
    return _UNSAFE.sub("", text)


def _holds_key(text: str, keys: Sequence[str]) -> bool:
    # As if it had been cut there: its end may be the beginning of a key.
    cut = text + HIDDEN
    return text in keys or without_secrets(text) != text or without_keys(cut, keys) != cut
