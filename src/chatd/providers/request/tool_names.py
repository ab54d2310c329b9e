"""Names of tools that every provider accepts, and the way back from them (pure).

Tools of clients and of other servers may be called as they like. Where a name would be refused, the model is
told another one, which follows from it: the same today and tomorrow, in tools and in what was called before.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping

NAME_CHARACTERS_MAX = 64
_PORTABLE = re.compile(rf"[A-Za-z_][A-Za-z0-9_-]{{0,{NAME_CHARACTERS_MAX - 1}}}")
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_-]")
_MARK_CHARACTERS = 8


def portable(name: str) -> str:
    """The name itself, if it can be sent anywhere; else one that can, and that no other name becomes."""
    if _PORTABLE.fullmatch(name):
        return name
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARACTERS]
    plain = _FORBIDDEN.sub("_", name)[: NAME_CHARACTERS_MAX - _MARK_CHARACTERS - 2]
    return f"{plain}_{mark}" if _PORTABLE.match(plain) else f"_{plain}_{mark}"


def aliases(names: Iterable[str]) -> Mapping[str, str]:
    """For names that are sent as others: what is sent, and what is meant."""
    return {sent: name for name in names if (sent := portable(name)) != name}
