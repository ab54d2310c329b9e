"""Files that a chat cannot take, because it refers to as many as it may (pure).

Those that a reply made are left out, and a notice says so: the reply was paid for, and refusing all of it
for one file too many would only have it made again. A call that would attach one fails, and says why.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from chatd.domain.call import CallResult
from chatd.domain.decision.locked import NO_FILES, LockedChat
from chatd.domain.ids import FileId
from chatd.domain.limits import FILES_MAX
from chatd.domain.message import Draft
from chatd.domain.part import File, HookNotice, files_in

NO_ROOM_FOR_FILES = (
    f"Nothing was attached: a chat can refer to {FILES_MAX} files, and this one has no room for more. "
    "Tell the user, who can go on in a new chat."
)
FILE_LEFT_OUT = "The file {name} was left out: a chat can refer to {bound} files."


def affordable_files(locked: LockedChat, drafts: Iterable[Draft]) -> set[FileId]:
    """The files that exist, as far as there is room for them in the chat."""
    files = locked.files
    known = [file for file in files_in(draft.content for draft in drafts) if file in files.known]
    new = [file for file in known if file not in files.linked][: max(0, FILES_MAX - files.link_count)]
    return {*files.linked, *new}


def without_unaffordable_files(locked: LockedChat, drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    if locked.files is NO_FILES:
        return tuple(drafts)
    affordable = affordable_files(locked, drafts)
    return tuple(_without(draft, affordable) for draft in drafts)


def with_room_for_files(locked: LockedChat, result: CallResult) -> CallResult:
    """The result of a call, with those of its files that exist; or an error, if there is no room for them."""
    if not result.files:
        return result
    files = locked.files
    new = [file for file in files_in([result.files]) if file in files.known and file not in files.linked]
    if new and files.link_count + len(new) > FILES_MAX:
        return without_room(result)
    kept = tuple(part for part in result.files if part.file_id in files.linked or part.file_id in new)
    return replace(result, files=kept)


def without_room(result: CallResult) -> CallResult:
    """What is left of the result of a call whose files have no room in the chat."""
    return replace(result, result={"error": NO_ROOM_FOR_FILES}, is_error=True, is_media=False, files=())


def _without(draft: Draft, affordable: set[FileId]) -> Draft:
    """A notice takes the place of each: what a provider wants back lies beside the parts by their place."""
    content = tuple(
        _notice(part) if isinstance(part, File) and part.file_id not in affordable else part
        for part in draft.content
    )
    return replace(draft, content=content)


def _notice(file: File) -> HookNotice:
    return HookNotice(text=FILE_LEFT_OUT.format(name=file.name or file.file_id, bound=FILES_MAX))
