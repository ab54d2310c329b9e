"""Attachments: bytes that messages refer to. Linking them to a chat is a matter of `transact`."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from chatd.domain.ids import FileId, Micros, UserId
from chatd.kit.codec import encode_text
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


async def read_files(db: Database, file_ids: Sequence[FileId]) -> Mapping[FileId, bytes]:
    """The bytes of these files. One that is gone is left out."""
    found = {file_id: await read_file(db, file_id) for file_id in file_ids}
    return {file_id: file.data for file_id, file in found.items() if file is not None}


async def media_types(db: Database, owner_id: UserId, file_ids: Sequence[FileId]) -> Mapping[FileId, str]:
    """What each of these files is. Those that are gone, or somebody else's, are left out."""

    async def body(tx: Connection) -> Mapping[FileId, str]:
        rows = await tx.all("media_types_of_user", encode_text(file_ids), owner_id)
        return {FileId(file_id): media_type for file_id, media_type in rows}

    return await db.read(body)


async def may_read_file(db: Database, file_id: FileId, user_id: UserId, *, any_chat: bool) -> bool:
    """Whether it is this user's file, or attached to a chat of theirs; with `any_chat`, to anybody's."""
    query = "file_of_user_or_any_chat" if any_chat else "file_of_user_or_their_chat"
    return await db.read(lambda tx: tx.one(query, file_id, user_id)) is not None
