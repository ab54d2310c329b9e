"""Files that a reply made and its chat cannot take are left out, and a notice says so (pure).

The reply was paid for: refusing all of it for one file too many would only have it made again.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from chatd.domain.ids import FileId
from chatd.domain.limits import FILES_MAX
from chatd.domain.locked import NO_FILES, LockedChat
from chatd.domain.message import Draft
from chatd.domain.part import File, HookNotice, files_in

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


def _without(draft: Draft, affordable: set[FileId]) -> Draft:
    """A notice takes the place of each: what a provider wants back lies beside the parts by their place."""
    content = tuple(
        _notice(part) if isinstance(part, File) and part.file_id not in affordable else part
        for part in draft.content
    )
    return replace(draft, content=content)


def _notice(file: File) -> HookNotice:
    return HookNotice(text=FILE_LEFT_OUT.format(name=file.name or file.file_id, bound=FILES_MAX))
