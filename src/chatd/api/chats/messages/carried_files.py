"""Files that travel with a chat: written into its export, and kept anew for the chat of an import.

An export has as many as an import takes, the newest first. What it leaves out is still named in its messages,
and is there again where it is imported by the user who has it.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from chatd.api import bodies
from chatd.api.bodies.fields import CARRIED_FILES_MAX, FILE_NAME_LENGTH_MAX
from chatd.api.serving.intake import IMPORT_BYTES_MAX
from chatd.domain.ids import FileId, UserId
from chatd.domain.limits import FILES_MAX, MEDIA_MAX
from chatd.domain.machine import too_many_files, too_many_media
from chatd.domain.message import Draft
from chatd.domain.part import Content, File, FileReference, Part, ToolResult, files_in, media_in
from chatd.errors import BadInput
from chatd.kit.ids import new_id
from chatd.kit.media_type import type_of
from chatd.kit.text import is_plain
from chatd.storage.database import Database
from chatd.storage.tables.files import FileRoom, add_file, file_sizes, media_types, read_file

# Beside its bytes in base64: its id, its name, its type.
_AROUND_BYTES = 2 * 1024


async def files_for_export(
    db: Database, contents: Iterable[Content], *, room_bytes: int
) -> tuple[bodies.CarriedFile, ...]:
    """Those of the files that fit into so many bytes of JSON. In memory there are never more."""
    sizes = await file_sizes(db, mentioned := files_in(contents))
    fitting: list[FileId] = []
    for file_id in reversed(mentioned):
        takes = sizes.get(file_id, IMPORT_BYTES_MAX) * 4 // 3 + _AROUND_BYTES
        if takes <= room_bytes:
            room_bytes -= takes
            fitting.append(file_id)
    found = [await read_file(db, file_id) for file_id in fitting]
    return tuple(
        bodies.CarriedFile(id=each.id, name=each.name, media_type=each.media_type, data=each.data)
        for each in found
        if each is not None
    )


class Luggage(Struct, frozen=True):
    """The files of an import: by the name that its messages have for each, the one that it is from now on."""

    renamed: Mapping[FileId, FileId] = {}
    # Those that have to be kept.
    new: Mapping[FileId, bodies.CarriedFile] = {}

    def of(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The messages of one chat, with files that there are. Raises TooManyFiles."""
        drafts = [replace(draft, content=self._with_files(draft.content)) for draft in drafts]
        contents = [draft.content for draft in drafts]
        files, media = set(files_in(contents)), media_in(contents)
        if len(files - media) > FILES_MAX:
            raise too_many_files()
        if len(media) > MEDIA_MAX:
            raise too_many_media()
        return drafts

    def _with_files(self, content: Content) -> Content:
        return tuple(self._with_file(part) for part in content)

    def _with_file(self, part: Part) -> Part:
        match part:
            case File(file_id=file_id) if file_id in self.renamed:
                return replace(part, file_id=self.renamed[file_id])
            case File(file_id=file_id, name=name):
                # The user who imports it does not have it. It is still mentioned, by its name.
                return FileReference(file_name=name or file_id)
            case ToolResult(media=File(file_id=file_id) as media):
                known = self.renamed.get(file_id)
                return replace(part, media=replace(media, file_id=known) if known is not None else None)
            case _:
                return part


async def unpacked(
    db: Database,
    owner_id: UserId,
    messages: Iterable[bodies.CarriedMessage],
    carried: Sequence[bodies.CarriedFile] = (),
    *,
    field: str,
) -> Luggage:
    """The files of these messages. Nothing is kept yet. One that the user has already is not kept twice."""
    mentioned = files_in(message.content for message in messages)
    if len(mentioned) > CARRIED_FILES_MAX:
        why = f"`{field}` has {len(mentioned)} files; at most {CARRIED_FILES_MAX} fit."
        raise BadInput("too_many_parts", why, field=field)
    plain = [file_id for file_id in mentioned if is_plain(file_id)]
    if not plain:
        return Luggage()
    renamed = {file_id: file_id for file_id in await media_types(db, owner_id, "", plain)}
    brought = {each.id: _checked(each, number) for number, each in enumerate(carried)}
    unknown = brought.keys() - renamed.keys()
    new = {FileId(new_id()): brought[file_id] for file_id in plain if file_id in unknown}
    return Luggage({**renamed, **{FileId(each.id): file_id for file_id, each in new.items()}}, new)


async def keep(db: Database, owner_id: UserId, luggage: Luggage, room: FileRoom) -> None:
    """Before the chat that refers to them. If that one is never made, a chore removes them in time."""
    for file_id, each in luggage.new.items():
        await add_file(
            db,
            file_id=file_id,
            owner_id=owner_id,
            name=each.name,
            # What it is said to be is not believed: it is served as what it is.
            media_type=type_of(each.data, each.name),
            data=each.data,
            room=room,
        )


def _checked(file: bodies.CarriedFile, number: int) -> bodies.CarriedFile:
    field = f"files[{number}]"
    if not is_plain(file.name):
        raise BadInput(
            "no_file_name",
            f"`{field}.name`: a file has a name of 1 to {FILE_NAME_LENGTH_MAX} visible characters.",
            field=f"{field}.name",
        )
    return file
