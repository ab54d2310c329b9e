"""Whose call it is, and in which chat: headers for servers that ask for them. Pure."""

from collections.abc import Mapping

from msgspec import Struct

OWNER_HEADER = "X-Chatd-Owner-Id"
CHAT_HEADER = "X-Chatd-Chat-Id"
CHILD_HEADER = "X-Chatd-Child-Chat-Id"


class Identity(Struct, frozen=True, kw_only=True):
    """Of a call. A chat that works for another tells the root of its family, and itself as the child."""

    owner_id: str
    root_chat_id: str
    child_chat_id: str | None = None


def with_identity(headers: Mapping[str, str], identity: Identity) -> dict[str, str]:
    """The headers of a server, and those of the identity. What signs in is never replaced by them."""
    told = {OWNER_HEADER: identity.owner_id, CHAT_HEADER: identity.root_chat_id}
    if identity.child_chat_id is not None:
        told[CHILD_HEADER] = identity.child_chat_id
    set_already = {name.lower() for name in headers}
    return {**{name: value for name, value in told.items() if name.lower() not in set_already}, **headers}
