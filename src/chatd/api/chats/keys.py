"""Keys: a request that comes again with the same key is answered with what the first one did.

Whether a key is used is decided by an index, in the transaction that makes the chat or sends the message.
Looking before is for a repeated request that would be refused by now: its model may be gone, its chat in the
archive.
"""

import hashlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from msgspec import Struct

from chatd.errors import KeyUsed, Refused
from chatd.kit.codec import encode

T = TypeVar("T")


def digest_of(body: Struct) -> str:
    """A check sum of what is asked for. The order in which the fields of an object come does not count."""
    return hashlib.sha256(encode(msgspec.to_builtins(body, order="sorted"))).hexdigest()


def check_same(key: str, digest: str, body: Struct) -> None:
    """Raises KeyUsed when the key was used with another request than this."""
    if digest != digest_of(body):
        raise KeyUsed(key)


async def answer_once(
    key: str | None, find: Callable[[str], Awaitable[T | None]], perform: Callable[[], Awaitable[T]]
) -> T:
    """What was done with this key before, or what is done now."""
    if key is None:
        return await perform()
    before = await find(key)
    if before is not None:
        return before
    try:
        return await perform()
    except Refused:
        # Of two such requests at once the other one may have been first, and left no room for this one.
        before = await find(key)
        if before is None:
            raise
        return before
