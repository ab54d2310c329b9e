"""Attachments: bytes that messages refer to. Linking them to a chat is a matter of `transact`."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from chatd.domain.decision.locked import Files
from chatd.domain.ids import SECOND, ChatId, FileId, Micros, UserId
from chatd.domain.people.audit import THE_SERVER, chore_done
from chatd.errors import LimitReached, QuotaReached
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Database
from chatd.storage.tables.audit import record

# A file that no chat has referred to for as long is removed.
UNUSED_DAYS = 7
_UNUSED_MICROS = UNUSED_DAYS * 24 * 3600 * SECOND
# What a user may have of such files, in bytes.
UNUSED_BYTES_MAX = 256 * 1024 * 1024


class FileRoom(Struct, frozen=True, kw_only=True):
    """What a user may have of files, in bytes. 0: any number."""

    bytes_max: int = 0
    # Of those that no chat refers to.
    unused_bytes_max: int = 0


# For what was paid for, and is kept in any case.
ANY_ROOM = FileRoom()


class StoredFile(Struct, frozen=True, kw_only=True):
    id: FileId
    owner_id: UserId
    name: str
    media_type: str
    data: bytes
    created_at: Micros


async def add_file(
    db: Database,
    *,
    file_id: FileId,
    owner_id: UserId,
    name: str,
    media_type: str,
    data: bytes,
    room: FileRoom = ANY_ROOM,
) -> None:
    """Keep a file. Raises QuotaReached when its owner has no room for it, LimitReached when too much of what
    they have is used by no chat.
    """

    async def body(tx: Connection) -> None:
        if room != ANY_ROOM:
            # What is counted is what the files are, and no number beside them: so it is true whoever removes
            # one, and whoever becomes its owner. Of two at once, the second counts the first.
            await tx.all("lock_user", owner_id)
            row = await tx.one("bytes_of_owner", owner_id, file_id)
            assert row is not None
            size = row[0] + len(data)
            if room.bytes_max and size > room.bytes_max:
                raise _quota_reached(room.bytes_max)
            if room.unused_bytes_max and size > room.unused_bytes_max:
                await _check_unused(tx, owner_id, len(data), room.unused_bytes_max)
        await tx.run("insert_file", file_id, owner_id, name, media_type, len(data), data)

    await db.write(body)


async def _check_unused(tx: Connection, owner_id: UserId, size: int, bytes_max: int) -> None:
    row = await tx.one("unused_bytes", owner_id)
    assert row is not None
    if row[0] + size > bytes_max:
        raise _too_many_unused(bytes_max)


async def remove_unused_files(db: Database, *, limit: int) -> int:
    """Remove some of the files that no chat has referred to for days; how many.

    They are looked for on the side, and looked at once more when they are locked: a message that mentions
    one meanwhile either keeps it, or is told that there is no such file.
    """
    found = await db.read(lambda tx: tx.all("unused_files", _UNUSED_MICROS, limit))
    if not found:
        return 0

    async def body(tx: Connection) -> int:
        locked = await tx.all("lock_files", encode_text([row[0] for row in found]))
        removed = len(await tx.all("delete_unused_files", encode_text([row[0] for row in locked])))
        if removed:
            await record(tx, THE_SERVER, chore_done("remove_files", files=removed))
        return removed

    return await db.write(body)


async def read_file(db: Database, file_id: FileId) -> StoredFile | None:
    return await db.read(lambda tx: file_in(tx, file_id))


async def file_in(tx: Connection, file_id: FileId) -> StoredFile | None:
    row = await tx.one("read_file", file_id)
    if row is None:
        return None
    id_, owner_id, name, media_type, _, data, created_at = row
    return StoredFile(
        id=id_, owner_id=owner_id, name=name, media_type=media_type, data=data, created_at=created_at
    )


async def read_files(db: Database, file_ids: Sequence[FileId]) -> Mapping[FileId, bytes]:
    """The bytes of these files. One that is gone is left out."""
    found = {file_id: await read_file(db, file_id) for file_id in file_ids}
    return {file_id: file.data for file_id, file in found.items() if file is not None}


async def media_types(
    db: Database, user_id: UserId, chat_id: str, file_ids: Sequence[FileId]
) -> Mapping[FileId, str]:
    """What each of these files is. Left out are those that are gone, and another user's unless this one sees
    them in the chat.
    """

    async def body(tx: Connection) -> Mapping[FileId, str]:
        rows = await tx.all("media_types_for_message", encode_text(file_ids), user_id, chat_id)
        return {FileId(file_id): media_type for file_id, media_type in rows}

    return await db.read(body)


async def file_sizes(db: Database, file_ids: Sequence[FileId]) -> Mapping[FileId, int]:
    """How many bytes each of these files has. Those that are gone are left out."""

    async def body(tx: Connection) -> Mapping[FileId, int]:
        return {FileId(row[0]): row[1] for row in await tx.all("file_sizes", encode_text(file_ids))}

    return await db.read(body)


async def linked_files(tx: Connection, chat_id: ChatId) -> Files:
    """The files that this chat refers to, counted."""
    links = {FileId(row[0]): bool(row[1]) for row in await tx.all("linked_files", chat_id)}
    media_count = sum(links.values())
    return Files(linked=frozenset(links), link_count=len(links) - media_count, media_count=media_count)


class Reach(Struct, frozen=True, kw_only=True):
    """Whose chats a user may read beside their own."""

    # What was granted to them counts, and to everyone too.
    grants: bool = True
    everyone: bool = True
    any_chat: bool = False
    # Of chats in which they were let write, also what waits in the queue.
    queues: bool = True


async def may_read_file(db: Database, file_id: FileId, user_id: UserId, reach: Reach) -> bool:
    """Whether it is this user's, attached to a chat of theirs, or shown in another that they may read."""

    async def body(tx: Connection) -> bool:
        if reach.any_chat:
            return await tx.one("file_of_user_or_any_chat", file_id, user_id) is not None
        if await tx.one("file_of_user_or_their_chat", file_id, user_id) is not None:
            return True
        if not reach.grants:
            return False
        shared = await tx.one("file_of_shared_chat", user_id, reach.everyone, file_id, reach.queues)
        return shared is not None

    return await db.read(body)


def _quota_reached(bytes_max: int) -> QuotaReached:
    return QuotaReached(
        "quota_reached",
        f"Your files would be more than {bytes_max / 2**20:,.0f} MiB.",
        limit=bytes_max,
        hint="Delete chats whose files you do not need, or ask an administrator for more "
        "(`CHATD_FILE_BYTES_MAX`).",
    )


async def is_file_of_family(db: Database, file_id: FileId, user_id: UserId, family: ChatId) -> bool:
    """Whether it is attached to a chat of this family, or this user's and attached to nothing."""
    return await db.read(lambda tx: tx.one("file_of_family", file_id, user_id, family)) is not None


def _too_many_unused(bytes_max: int) -> LimitReached:
    return LimitReached(
        "too_many_unused_files",
        f"Your files that no chat refers to would be more than {bytes_max // 2**20} MiB.",
        limit=bytes_max,
        hint=f"Attach them to messages. Unused files are removed after {UNUSED_DAYS} days.",
    )
