"""Files on their way to the database: those that a model made, and those that a tool attached.

They are kept before the message or the result that refers to them. If that is never saved, a chore removes
them in time.
"""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from chatd.agent.hold.hold import Hold
from chatd.domain.call import CallResult
from chatd.domain.decision.left_out import without_room
from chatd.domain.ids import FileId
from chatd.domain.limits import FILES_MAX
from chatd.domain.part import File
from chatd.storage.tables.files import add_file, count_files
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


async def keep_file(hold: Hold, file: NewFile) -> None:
    """Write it, however long the database takes. More than once is once."""
    add = partial(
        add_file,
        hold.services.store.db,
        file_id=file.id,
        owner_id=hold.chat.owner_id,
        name=file.name,
        media_type=file.media_type,
        data=file.data,
    )
    await hold.save(add, size=partial(len, file.data))


async def with_files(hold: Hold, result: CallResult, attachments: Sequence[Attachment]) -> CallResult:
    """The result, and its files in the database; or an error, where the chat has no room for them.

    Seen here, so that no file is written in vain; decided when they are linked, since users attach files too.
    """
    size = sum(len(file.data) for file in attachments)
    count = partial(count_files, hold.services.store.db, hold.chat_id)
    if await hold.save(count, size=lambda: size) + len(attachments) > FILES_MAX:
        return without_room(result)
    for file in attachments:
        await keep_file(hold, file)
    parts = tuple(File(file_id=file.id, media_type=file.media_type, name=file.name) for file in attachments)
    return replace(result, files=parts)
