"""Who has written what people read: their names, once for many messages.

Where the owner alone has written there is nothing to tell, and nothing is read: so it is with almost every
chat. Otherwise the owner is named with the others.
"""

from collections.abc import Iterable

from msgspec import Struct

from chatd.domain.ids import UserId
from chatd.domain.message import Message, Queued
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Database, Pace


class Author(Struct, frozen=True):
    id: UserId
    name: str
    display_name: str

    @property
    def shown(self) -> str:
        return self.display_name or self.name


def authors_of(
    owner_id: UserId, messages: Iterable[Message], queue: Iterable[Queued] = ()
) -> frozenset[UserId]:
    """Whose names a reader of these needs. None where the owner alone has written."""
    found = frozenset(each.created_by for each in messages if each.created_by is not None)
    found |= {each.created_by for each in queue}
    return found | {owner_id} if found - {owner_id} else frozenset()


async def names_in(tx: Connection, user_ids: frozenset[UserId]) -> tuple[Author, ...]:
    """Of those of them whose account is still there, in the order of their names."""
    if not user_ids:
        return ()
    rows = await tx.all("names_of_authors", encode_text(sorted(user_ids)))
    return tuple(Author(UserId(row[0]), str(row[1]), str(row[2])) for row in rows)


async def read_names(db: Database, user_ids: frozenset[UserId]) -> tuple[Author, ...]:
    if not user_ids:
        return ()
    return await db.read(lambda tx: names_in(tx, user_ids), pace=Pace.ONE_QUERY)
