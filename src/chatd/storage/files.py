"""Attachments: bytes that messages refer to. Linking them to a chat is a matter of `transact`."""

from msgspec import Struct

from chatd.domain.ids import FileId, Micros, UserId
from chatd.storage.database import Connection, Database


class StoredFile(Struct, frozen=True, kw_only=True):
    id: FileId
    owner_id: UserId
    name: str
    media_type: str
    data: bytes
    created_at: Micros


async def add_file(
    db: Database, *, file_id: FileId, owner_id: UserId, name: str, media_type: str, data: bytes
) -> None:
    await db.write(lambda tx: tx.run("insert_file", file_id, owner_id, name, media_type, len(data), data))


async def read_file(db: Database, file_id: FileId) -> StoredFile | None:
    async def body(tx: Connection) -> StoredFile | None:
        row = await tx.one("read_file", file_id)
        if row is None:
            return None
        id_, owner_id, name, media_type, _, data, created_at = row
        return StoredFile(
            id=id_, owner_id=owner_id, name=name, media_type=media_type, data=data, created_at=created_at
        )

    return await db.read(body)
