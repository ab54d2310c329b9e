"""Call ids, as servers accept them (pure). The same id always becomes the same, so that pairs stay pairs."""

import hashlib
import string

_ID_CHARACTERS_MAX = 64
_ALPHABET = string.ascii_letters + string.digits
_SHORT = 9


def wire_id(call_id: str, style: str) -> str:
    if style == "alnum9":
        return call_id if _is_short(call_id) else _hashed(call_id, _SHORT)
    return call_id if len(call_id) <= _ID_CHARACTERS_MAX else f"call_{_hashed(call_id, 24)}"


def _is_short(call_id: str) -> bool:
    return len(call_id) == _SHORT and call_id.isascii() and call_id.isalnum()


def _hashed(call_id: str, length: int) -> str:
    number = int.from_bytes(hashlib.sha256(call_id.encode("utf-8")).digest())
    characters = []
    for _ in range(length):
        number, place = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[place])
    return "".join(characters)
