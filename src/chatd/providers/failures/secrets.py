"""Text without what it would give away: keys, and the passwords and queries of addresses (pure)."""

import json
import re
from collections.abc import Iterable
from urllib.parse import quote

# Every repetition stops at a mark that it cannot pass, so that no text takes long.
_ADDRESS = re.compile(
    r"\b([a-z][a-z0-9+]{1,15})://(?:[^\s/@\"'<>]*@)?([^\s?#\"'<>]*)(?:[?#][^\s\"'<>]*)?", re.IGNORECASE
)
_PARAMETER = re.compile(
    r"([?&](?:api[-_]?key|key|access[-_]?token|token|sig|signature|secret|password)=)[^\s&\"'<>]+",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{16,}", re.IGNORECASE)
# Words look like keys, too, but have no digits.
_KEY = re.compile(
    r"\b(sk|pk|rk|key|gsk|xai|hf|nvapi|pplx|ghp)[-_](?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{12,}"
    # Some texts are searched in lower case, and end up in the log like that.
    r"|\b((?i:AIza|eyJ)|AKIA|ASIA)[A-Za-z0-9_.-]{12,}"
)

HIDDEN = "…"
# Whatever is shorter occurs in ordinary words.
KEY_CHARACTERS_MIN = 8


def without_secrets(text: str) -> str:
    text = _ADDRESS.sub(r"\1://\2", text)
    text = _PARAMETER.sub(rf"\1{HIDDEN}", text)
    text = _BEARER.sub(rf"\1 {HIDDEN}", text)
    return _KEY.sub(lambda found: f"{found[1] or found[2]}{HIDDEN}", text)


def spellings(keys: Iterable[str]) -> tuple[str, ...]:
    """Each of them plain, as in an address, and as in JSON, in which some also escape slashes."""
    spelled: list[str] = []
    for key in keys:
        quoted = json.dumps(key)[1:-1]
        spelled += (key, quote(key, safe=""), quoted, quoted.replace("/", "\\/"))
    return tuple(dict.fromkeys(spelled))


def without_keys(text: str, keys: Iterable[str]) -> str:
    """Without these very keys, in every spelling and whichever case, also where the text was cut in one."""
    plain = text.lower()
    for key in spellings(keys):
        if len(key) < KEY_CHARACTERS_MIN:
            continue
        # Nearly every text has none. A pattern is made only where there is one: signatures are never the same
        # twice, and each would cost more than the rest of the call's bookkeeping.
        if key.lower() in plain:
            text = re.sub(re.escape(key), HIDDEN, text, flags=re.IGNORECASE)
            plain = text.lower()
        if plain.endswith(HIDDEN):
            text = _without_beginning(text, key.lower())
            plain = text.lower()
    return text


def _without_beginning(text: str, key: str) -> str:
    said = text.removesuffix(HIDDEN)
    plain = said[-len(key) :].lower()
    lengths = range(min(len(key) - 1, len(plain)), KEY_CHARACTERS_MIN - 1, -1)
    cut = next((length for length in lengths if plain.endswith(key[:length])), 0)
    return said[: len(said) - cut] + HIDDEN
