"""What a record must not give away: keys, tokens and passwords, wherever they turn up (pure).

Names tell what is secret: of a header, of a field, of a parameter in an address. Beside that, the very keys
of the call are taken out of every text. What merely sounds like a secret stays readable: counts of tokens,
and the headers that tell how many are left.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import TypeAlias
from urllib.parse import unquote

import msgspec

from chatd.domain.part import Json
from chatd.kit.codec import Decoder, encode_text
from chatd.providers.failures.secrets import HIDDEN as CUT
from chatd.providers.failures.secrets import spellings, without_keys, without_secrets
from chatd.records.files import note_of_field, without_files

HIDDEN = "[hidden]"
# JSON like this is written only to see what we do with it.
DEPTH_MAX = 100
TOO_DEEP = "[left out: too deep]"

# A text without the keys of the call.
Hide: TypeAlias = Callable[[str], str]

_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "proxy-authorization", "cookie", "set-cookie"})
_IN_HEADERS = ("api-key", "api_key", "apikey", "token", "secret", "bearer")
# They count tokens, and no more.
_COUNTING_HEADERS = frozenset(
    {
        f"anthropic-{what}{kind}tokens-{which}"
        for what, kind, which in product(
            ("ratelimit-", "priority-"), ("", "input-", "output-"), ("limit", "remaining", "reset")
        )
    }
    | {
        f"x-ratelimit-{which}-{kind}tokens{period}"
        for which, kind, period in product(
            ("limit", "remaining", "reset"),
            ("", "input-", "output-", "project-"),
            ("", "-minute", "-day", "-usage-based"),
        )
    }
    | {f"x-amzn-bedrock-{kind}-token-count" for kind in ("input", "output")}
    | {f"x-amzn-bedrock-cache-{kind}-input-token-count" for kind in ("read", "write")}
)

# Without their joints: `access_token`, `access-token` and `accessToken` are one name.
_FIELDS = frozenset(
    {
        "token",
        *(f"{of}token" for of in ("access", "refresh", "id", "api", "auth", "bearer", "session", "security")),
        *(f"{of}key" for of in ("api", "private", "signing", "secret")),
    }
)
_IN_FIELDS = ("secret", "password", "authorization", "credential")
# In an address, these too. "token" as a part of the name will do there: nothing is counted in addresses.
_PARAMETERS = frozenset({"key", "sig"})
_IN_PARAMETERS = (*_IN_FIELDS, "token", "apikey", "signature")

_JOINTS = re.compile(r"[^a-z0-9]")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s\"'<>]+", re.IGNORECASE)
_HOST_ENDS = re.compile(r"[/?#]")
_PARAMETER = re.compile(r"(?<=[?&#;])(?P<name>[^?&#;=]+)=(?P<value>[^&#;]*)")

_json: Decoder[Json] = Decoder(object)


def hiding(keys: Iterable[str]) -> Hide:
    """Takes these very keys out of a text, in every spelling in which they may come back."""
    known = tuple(keys)
    lowered = tuple(each.lower() for each in spellings(known))

    def hide(text: str) -> str:
        # Nearly every text has none, and to see that is cheap. One that was cut may end in half a key.
        plain = text.lower()
        if not text.endswith(CUT) and not any(each in plain for each in lowered):
            return text
        return without_keys(text, known)

    return hide


def parsed(text: str | bytes) -> Json:
    """One JSON document. Raises ValueError for anything else."""
    try:
        return _json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError("not JSON") from error


def safe_headers(headers: Mapping[str, str], hide: Hide) -> dict[str, str]:
    return {
        name: HIDDEN if is_secret_header(name) else safe_text(value, hide) for name, value in headers.items()
    }


def safe_json(value: Json, hide: Hide, depth: int = 0) -> Json:
    """The same document, without secrets and without the bytes of files."""
    if depth > DEPTH_MAX:
        return TOO_DEEP
    match value:
        case dict():
            return {
                hide(name): note_of_field(value, name) or _safe_field(name, inner, hide, depth)
                for name, inner in value.items()
            }
        case list() | tuple():
            return [safe_json(inner, hide, depth + 1) for inner in value]
        case str():
            return _safe_value(value, hide, depth)
        case _:
            return value


def safe_address(address: str, hide: Hide) -> str:
    """Without the user in it, and without the values of parameters that are secret; else as it is written."""
    scheme, separator, rest = address.partition("://")
    found = _HOST_ENDS.search(rest)
    end = found.start() if found is not None else len(rest)
    host = rest[:end].rpartition("@")[2]
    return hide(scheme + separator + host + _PARAMETER.sub(_safe_parameter, rest[end:]))


def safe_text(text: str, hide: Hide) -> str:
    """Words of a person or a program, such as those of an error: with safe addresses, and without keys."""
    return without_secrets(_with_safe_addresses(text, hide))


def is_secret_header(name: str) -> bool:
    name = name.lower()
    if name in _COUNTING_HEADERS:
        return False
    return name in _HEADERS or any(each in name for each in _IN_HEADERS)


def is_secret_field(name: str) -> bool:
    bare = _JOINTS.sub("", name.lower())
    return bare in _FIELDS or any(each in bare for each in _IN_FIELDS)


def _is_secret_parameter(name: str) -> bool:
    bare = _JOINTS.sub("", name.lower())
    return bare in _PARAMETERS or any(each in bare for each in _IN_PARAMETERS)


def _safe_field(name: str, value: Json, hide: Hide, depth: int) -> Json:
    if is_secret_field(name):
        # That there is none may be told.
        return None if value is None else HIDDEN
    return safe_json(value, hide, depth + 1)


def _safe_value(text: str, hide: Hide, depth: int) -> str:
    """The arguments of tools, and some errors, are JSON in a text."""
    text = _with_safe_addresses(without_files(text), hide)
    if text[:1] not in ("{", "["):
        return text
    try:
        inner = parsed(text)
    except ValueError:
        return text
    safe = safe_json(inner, hide, depth + 1)
    # As it was written, where nothing had to be hidden.
    return text if safe == inner else encode_text(safe)


def _with_safe_addresses(text: str, hide: Hide) -> str:
    text = hide(text)
    if "://" not in text:
        return text
    return _ADDRESS.sub(lambda found: safe_address(found[0], hide), text)


def _safe_parameter(found: re.Match[str]) -> str:
    is_secret = found["value"] and _is_secret_parameter(unquote(found["name"]))
    return f"{found['name']}={HIDDEN}" if is_secret else found[0]
