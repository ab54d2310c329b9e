"""Files on their way to the database: those that a model made, and those that a tool attached or showed.

They are kept before the message or the result that refers to them. If that is never saved, a chore removes
them in time.
"""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from chatd.agent.hold.hold import Hold
from chatd.domain.call import CallResult, files_of
from chatd.domain.decision.left_out import NO_ROOM_OF_OWNER, within_room, without_room
from chatd.domain.ids import FileId
from chatd.domain.part import File, files_in
from chatd.errors import QuotaReached
from chatd.storage.tables.files import ANY_ROOM, FileRoom, add_file, linked_files
from chatd.tools.tool import Attachment


class NewFile(Protocol):
    @property
    def id(self) -> FileId: ...

    @property
    def name(self) -> str: ...

    @property
    def media_type(self) -> str: ...

    @property
    def data(self) -> bytes: ...


async def keep_file(hold: Hold, file: NewFile, room: FileRoom = ANY_ROOM) -> None:
    """Write it, however long the database takes. More than once is once. Raises QuotaReached."""
    add = partial(
        add_file,
        hold.services.store.db,
        file_id=file.id,
        owner_id=hold.chat.owner_id,
        name=file.name,
        media_type=file.media_type,
        data=file.data,
        room=room,
    )
    await hold.save(add, size=partial(len, file.data))


async def with_files(hold: Hold, result: CallResult, attachments: Sequence[Attachment]) -> CallResult:
    """The result, and its files in the database; or an error, where there is no room for them.

    Seen here, so that no file is written in vain; decided when they are linked, since users attach files too.
    """
    size = sum(len(file.data) for file in attachments)
    media = result.media.file_id if result.media is not None else None
    parts = tuple(
        File(file_id=file.id, media_type=file.media_type, name=file.name)
        for file in attachments
        if file.id != media
    )
    look = partial(hold.services.store.db.read, lambda tx: linked_files(tx, hold.chat_id))
    links = await hold.save(look, size=lambda: size)
    kept = within_room(links, replace(result, files=parts), {file.id for file in attachments})
    referred = files_in([files_of(kept)])
    room = FileRoom(bytes_max=hold.services.file_bytes_max)
    try:
        for file in attachments:
            if file.id in referred:
                await keep_file(hold, file, room)
    except QuotaReached:
        # Those that were written are linked by no message, and a chore removes them.
        return without_room(kept, NO_ROOM_OF_OWNER)
    return kept
