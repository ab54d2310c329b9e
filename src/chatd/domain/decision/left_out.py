"""Files that a chat cannot take, because it refers to as many as it may (pure).

Those that a reply made are left out, and a notice says so: the reply was paid for, and refusing all of it
for one file too many would only have it made again. A call that would attach one fails, and says why.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from chatd.domain.call import CallResult, files_of
from chatd.domain.decision.locked import NO_FILES, Files, LockedChat
from chatd.domain.ids import FileId
from chatd.domain.limits import FILES_MAX, MEDIA_MAX
from chatd.domain.message import Draft
from chatd.domain.part import File, HookNotice, Part, ToolResult, files_in, media_in

NO_ROOM_FOR_FILES = (
    f"Nothing was attached: a chat can refer to {FILES_MAX} files, and this one has no room for more. "
    "Tell the user, who can go on in a new chat."
)
NO_ROOM_FOR_MEDIA = (
    f"Nothing can be shown: the tools of a chat can show {MEDIA_MAX} pictures and documents, and those of "
    "this one have. Tell the user, who can go on in a new chat."
)
NO_ROOM_OF_OWNER = (
    "Nothing was attached: the files of the chat's owner take as much room as they may. Tell the user, who "
    "can delete chats whose files are not needed."
)
NO_ROOM_FOR_FURTHER = (
    f"Further files of this result were left out: a chat can refer to {FILES_MAX} files, and this one has no "
    "room for more."
)
FILE_LEFT_OUT = "The file {name} was left out: a chat can refer to {bound} files."


def affordable_files(locked: LockedChat, drafts: Iterable[Draft]) -> set[FileId]:
    """The files that exist, as far as there is room for them in the chat."""
    files = locked.files
    contents = [draft.content for draft in drafts]
    media = media_in(contents)
    new = [file for file in files_in(contents) if file in files.known and file not in files.linked]
    attached = [file for file in new if file not in media][: max(0, FILES_MAX - files.link_count)]
    shown = [file for file in new if file in media][: max(0, MEDIA_MAX - files.media_count)]
    return {*files.linked, *attached, *shown}


def without_unaffordable_files(locked: LockedChat, drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    if locked.files is NO_FILES:
        return tuple(drafts)
    affordable = affordable_files(locked, drafts)
    return tuple(_without(draft, affordable) for draft in drafts)


def with_room_for_files(locked: LockedChat, result: CallResult) -> CallResult:
    """The result of a call, with those of its files that exist; or an error, if there is no room for them."""
    if not files_of(result):
        return result
    files = locked.files
    new = {file for file in files_in([files_of(result)]) if file in files.known and file not in files.linked}
    kept = within_room(files, result, new)
    there = files.linked | new
    return replace(
        kept,
        files=tuple(part for part in kept.files if part.file_id in there),
        media=kept.media if kept.media is not None and kept.media.file_id in there else None,
    )


def within_room(files: Files, result: CallResult, new: Collection[FileId]) -> CallResult:
    """The result of a call, as far as a chat with these files can take the `new` ones of it.

    What was shown counts more than what was handed over beside it, for want of which no call has failed.
    """
    attached = sum(part.file_id in new for part in result.files)
    if attached and files.link_count + attached > FILES_MAX:
        if not result.is_media:
            return without_room(result, NO_ROOM_FOR_FILES)
        said = {**result.result, "text": _words(result.result.get("text"), NO_ROOM_FOR_FURTHER)}
        result = replace(result, result=said, files=())
    if result.media is not None and result.media.file_id in new and files.media_count >= MEDIA_MAX:
        return without_room(result, NO_ROOM_FOR_MEDIA)
    return result


def _words(*said: str | None) -> str:
    return "\n\n".join(filter(None, said))


def without_room(result: CallResult, why: str) -> CallResult:
    """What is left of the result of a call whose files have no room in the chat.

    Words beside a picture are what the call came back with: it has not failed for want of the picture.
    """
    match result.result:
        case {"text": str(words)} if words and result.is_media:
            said = {"output": f"{words}\n\n{why}"}
            return replace(result, result=said, is_media=False, media=None, files=())
    return replace(result, result={"error": why}, is_error=True, is_media=False, media=None, files=())


def without_lost_media(part: Part, there: set[FileId]) -> Part:
    """A result whose picture is not there is still a result."""
    if isinstance(part, ToolResult) and part.media is not None and part.media.file_id not in there:
        return replace(part, media=None)
    return part


def _without(draft: Draft, affordable: set[FileId]) -> Draft:
    """A notice takes the place of each: what a provider wants back lies beside the parts by their place."""
    content = tuple(
        _notice(part)
        if isinstance(part, File) and part.file_id not in affordable
        else without_lost_media(part, affordable)
        for part in draft.content
    )
    return replace(draft, content=content)


def _notice(file: File) -> HookNotice:
    return HookNotice(text=FILE_LEFT_OUT.format(name=file.name or file.file_id, bound=FILES_MAX))
