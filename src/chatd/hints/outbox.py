"""Hints on their way to other processes, and how they are written into notifications."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

from chatd.hints.hint import CatalogChanged, ChatChanged, ChatDeleted, ChildChanged, PartsLogged, WorkWaiting
from chatd.hints.memory import is_older, key_of
from chatd.kit.codec import Decoder, encode

# What travels. That hints may be lost is a word of its own.
Item: TypeAlias = ChatChanged | WorkWaiting | ChatDeleted | ChildChanged | CatalogChanged | PartsLogged

# While the database is away. More than these are replaced by one word: look for yourselves.
OUTBOX_MAX = 5000
# PostgreSQL refuses a payload of 8000 bytes.
PAYLOAD_BYTES_MAX = 7999

_items: Decoder[list[Item]] = Decoder(list[Item])


class Outbox:
    """Of each kind only the newest for each chat, in the order in which they came."""

    def __init__(self, items_max: int = OUTBOX_MAX) -> None:
        self._items_max = items_max
        self._newest: dict[Hashable, Item] = {}
        # There were too many, and what was here is gone.
        self.overflowed = False

    def put(self, item: Item) -> None:
        key = _key(item)
        if is_older(item, self._newest.get(key)):
            return
        self._newest[key] = item
        if len(self._newest) > self._items_max:
            self._newest.clear()
            self.overflowed = True

    def take(self) -> list[Item]:
        items, self._newest = list(self._newest.values()), {}
        return items

    def put_back(self, items: Iterable[Item]) -> None:
        """They may not have been sent. What came meanwhile is newer."""
        newer = self.take()
        for item in (*items, *newer):
            self.put(item)

    def __bool__(self) -> bool:
        return bool(self._newest)


def packed(prefix: str, items: Sequence[Item]) -> list[str] | None:
    """As few payloads as hold all of the items, each behind the prefix. None when one fits into none."""
    room = PAYLOAD_BYTES_MAX - len(prefix.encode()) - len("[]")
    payloads: list[str] = []
    batch: list[bytes] = []
    size = 0
    for encoded in map(encode, items):
        if len(encoded) > room:
            return None
        if batch and size + len(encoded) > room:
            payloads.append(_joined(prefix, batch))
            batch, size = [], 0
        batch.append(encoded)
        size += len(encoded) + len(",")
    return [*payloads, _joined(prefix, batch)] if batch else payloads


def unpacked(payload: str) -> list[Item]:
    """Raises an error of the decoder for what a newer program has sent."""
    return _items.decode(payload)


def _joined(prefix: str, batch: Sequence[bytes]) -> str:
    return f"{prefix}[{b','.join(batch).decode()}]"


def _key(item: Item) -> Hashable:
    if isinstance(item, CatalogChanged):
        return CatalogChanged, item.kind, item.entity
    return key_of(item)
