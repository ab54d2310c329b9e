"""Files: sent once, attached to messages, and read by users who may read the chat."""

from typing import Literal

from msgspec.structs import replace

from chatd.api.bodies import Nothing
from chatd.api.bodies.fields import FILE_NAME_LENGTH_MAX
from chatd.api.catalog.bodies import FileAdded
from chatd.api.files.media import media_type_of
from chatd.api.router import Asked, Download
from chatd.api.serving.callers.permits import may_as, may_in_any_chat, readable
from chatd.api.serving.uploads import Upload
from chatd.domain.ids import FileId
from chatd.domain.people.deeds import Deed
from chatd.domain.people.grants import is_for_everyone
from chatd.domain.people.permit import Relation, Sharing, View
from chatd.errors import BadInput, NotFound
from chatd.kit.disposition import name_in, named
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.tables.files import (
    Reach,
    StoredFile,
    add_file,
    is_file_of_family,
    may_read_file,
    read_file,
)

FILE_BYTES_MAX = 10 * 1024 * 1024
_INLINE = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})

# A file is private and never changes.
_FOR_EVER = "private, max-age=31536000, immutable"
# A browser must not guess its type, nor run scripts in it.
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


async def add(asked: Asked[Nothing, Upload]) -> FileAdded:
    body = asked.body
    name = _name(body.disposition)
    if not body.data:
        raise BadInput("no_body", "The file is empty.")
    media_type = media_type_of(body.data, body.media_type, name)
    file_id = FileId(new_id())
    await add_file(
        asked.store.db,
        file_id=file_id,
        owner_id=asked.user.id,
        name=name,
        media_type=media_type,
        data=body.data,
        room=asked.server.file_room,
    )
    return FileAdded(id=file_id, name=name, media_type=media_type, size_bytes=len(body.data))


async def show(asked: Asked[Nothing, Nothing]) -> Download:
    file_id = FileId(asked.path["file_id"])
    db = asked.store.db
    readable = is_plain(file_id) and await _may_read(asked, file_id)
    file = await read_file(db, file_id) if readable else None
    if file is None:
        raise NotFound("file_not_found", f"There is no file {file_id!r}.")
    return downloaded(file)


def downloaded(file: StoredFile, *, cached: str = _FOR_EVER) -> Download:
    """`cached`: who may keep it, and for how long."""
    is_text = file.media_type.startswith("text/")
    kind: Literal["inline", "attachment"] = (
        "inline" if is_text or file.media_type in _INLINE else "attachment"
    )
    media_type = f"{file.media_type}; charset=utf-8" if is_text else file.media_type
    headers = {**named(file.name, kind), "Cache-Control": cached, **_SAFE}
    return Download(data=file.data, media_type=media_type, headers=headers)


async def _may_read(asked: Asked[Nothing, Nothing], file_id: FileId) -> bool:
    """Their own, or attached to a chat that they may read."""
    user, db, family = asked.user, asked.store.db, asked.known.standing.family
    policy = asked.server.policy
    reach = Reach(
        everyone=is_for_everyone(user.kind, policy),
        grants=policy.sharing is not Sharing.OFF,
        queues=may_as(asked.known, Deed.CHAT_SPEAK, Relation.WRITER, policy),
    )
    if family is None:
        if await may_read_file(db, file_id, user.id, reach):
            return True
        may_any = may_in_any_chat(asked.known, Deed.CHAT_READ, policy)
        if not may_any or not await may_read_file(db, file_id, user.id, replace(reach, any_chat=True)):
            return False
        await asked.server.audited_reads.note_file(asked.by, file_id)
        return True
    seen = await readable(asked.known, db, family, policy)
    if seen is None or not await is_file_of_family(db, file_id, user.id, family):
        return False
    return seen.view is View.FULL or await may_read_file(db, file_id, user.id, reach)


def _name(disposition: str) -> str:
    name = name_in(disposition)
    if name is None or len(name) > FILE_NAME_LENGTH_MAX or not is_plain(name):
        raise BadInput(
            "no_file_name",
            f"A file has a name of 1 to {FILE_NAME_LENGTH_MAX} visible characters.",
            field="Content-Disposition",
            hint='Send the header Content-Disposition: attachment; filename="notes.txt".',
        )
    return name
