"""Which headers a request has, and who may say so (pure).

What the call says beats what the provider's settings say, and that beats the defaults. Names are
compared without regard to case, and are sent in lower case. The key goes on top, from `credentials/`.
"""

from collections.abc import Mapping

import chatd
from chatd.catalog.rules.checks import CONNECTION_HEADERS
from chatd.errors import ProviderError

USER_AGENT = f"chatd/{chatd.__version__}"

DEFAULTS: Mapping[str, str] = {
    "user-agent": USER_AGENT,
    "accept": "text/event-stream, application/json",
    # Unpacking small pieces costs more than it saves. What comes packed all the same is unpacked.
    "accept-encoding": "identity",
    "content-type": "application/json",
}

# Who pays is said in one place.
AUTH = frozenset(
    {"api-key", "authorization", "cookie", "x-amz-security-token", "x-api-key", "x-goog-api-key"}
)

# Lists, to which everyone adds.
_LISTS = frozenset({"anthropic-beta"})

_NAME_MARKS = "!#$%&'*+-.^_`|~"


def headers_for(instance: Mapping[str, str], call: Mapping[str, str]) -> dict[str, str]:
    """All headers but the key. Raises ProviderError when one is not for its author to set."""
    merged = dict(DEFAULTS)
    _add(merged, instance, refused=CONNECTION_HEADERS, by="The provider's settings")
    _add(merged, call, refused=CONNECTION_HEADERS | AUTH, by="A call")
    return merged


def lower_cased(headers: Mapping[str, str]) -> dict[str, str]:
    """As they came: a header that came twice has its last value."""
    return {name.lower(): value for name, value in headers.items()}


def _add(merged: dict[str, str], headers: Mapping[str, str], *, refused: frozenset[str], by: str) -> None:
    for name, value in lower_cased(headers).items():
        if name in refused:
            raise _refusal(f"{by} may not set the header {name!r}.")
        if not _is_sendable(name, value):
            # Neither is shown: a key may have been entered in the wrong place.
            raise _refusal(f"{by} sets a header that cannot be sent.")
        if name in _LISTS and name in merged:
            merged[name] = ",".join(dict.fromkeys([*merged[name].split(","), *value.split(",")]))
        else:
            merged[name] = value


def _is_sendable(name: str, value: str) -> bool:
    """A line end in a header would begin another header."""
    named = name.isascii() and name != "" and all(mark.isalnum() or mark in _NAME_MARKS for mark in name)
    return named and not any(mark in value for mark in "\r\n\0")


def _refusal(what: str) -> ProviderError:
    return ProviderError("config", f"This provider cannot be called. {what}", fault="header")
