"""Writing files: whole, at once, and several of them together."""

import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct

from chatd.workspaces.edits.apply import EditError, apply_edits
from chatd.workspaces.edits.diff import diff_of_texts, unified_diff
from chatd.workspaces.files import (
    EDIT_BYTES_MAX,
    EDIT_FILES_MAX,
    EDITS_MAX,
    WRITE_BYTES_MAX,
    EditedFile,
    EditFailed,
    FileEdits,
    FileError,
    Problem,
    Written,
)
from chatd.workspaces.local.files.confined import Place, Root
from chatd.workspaces.local.files.failures import as_file_error
from chatd.workspaces.local.files.threads import Stop

NOTHING_CHANGED = "Nothing was changed."
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Of a name that is kept in the name of its temporary file; with the rest it must not exceed 255 bytes.
_NAME_CHARACTERS_KEPT = 40
_CHUNK_BYTES = 1024 * 1024
# Larger files are written without a diff.
COMPARED_BYTES_MAX = 1024 * 1024


class _Draft(Struct, frozen=True, kw_only=True):
    """A file as it was read, and as it is to be."""

    path: str
    stat: os.stat_result
    before: bytes
    after: bytes
    diff: str


def write_file(root: Root, path: str, data: bytes, stop: Stop, *, only_preview: bool = False) -> Written:
    if len(data) > WRITE_BYTES_MAX:
        raise FileError(
            Problem.TOO_LARGE, f"{path}: {len(data)} bytes are more than {WRITE_BYTES_MAX} at once."
        )
    if path.endswith("/"):
        raise FileError(Problem.IS_DIRECTORY, f"{path} names a directory, not a file.")
    with root.place(path) as place:
        if place.stat is not None:
            root.expect_file(place, path)
        diff = _compared(path, _former(root, place, path), data)
        if not only_preview:
            with _directory(place) as directory:
                _replace(directory, place.name, data, place.stat, stop)
        return Written(path=root.absolute(place), created=place.stat is None, size=len(data), diff=diff)


def _former(root: Root, place: Place, path: str) -> bytes | None:
    """What is replaced; None when it is too large to compare, or may be written but not read."""
    if place.stat is None:
        return b""
    if place.stat.st_size > COMPARED_BYTES_MAX:
        return None
    try:
        fd = root.open_regular(place, path)
    except OSError:
        return None
    try:
        return _read_up_to(fd, COMPARED_BYTES_MAX)
    finally:
        os.close(fd)


def _compared(path: str, before: bytes | None, after: bytes) -> str:
    if before is None or len(after) > COMPARED_BYTES_MAX or b"\0" in before or b"\0" in after:
        return ""
    try:
        return diff_of_texts(path, before.decode(), after.decode())
    except UnicodeDecodeError:
        return ""


def edit_files(
    root: Root, files: Sequence[FileEdits], stop: Stop, *, only_preview: bool
) -> tuple[EditedFile, ...]:
    if len(files) > EDIT_FILES_MAX:
        raise FileError(Problem.TOO_LARGE, f"At most {EDIT_FILES_MAX} files are edited at once.")
    if sum(len(each.edits) for each in files) > EDITS_MAX:
        raise FileError(Problem.TOO_LARGE, f"At most {EDITS_MAX} edits are made at once.")
    drafts = _drafts(root, files, stop)
    if not only_preview:
        _write_all(root, drafts, stop)
    return tuple(EditedFile(path=draft.path, diff=draft.diff) for draft in drafts)


def _drafts(root: Root, files: Sequence[FileEdits], stop: Stop) -> list[_Draft]:
    """Every file as it is to be. Raises FileError before any is written; it names the file by its index."""
    drafts: list[_Draft] = []
    for index, each in _merged(files):
        try:
            drafts.append(_expect_another(_draft(root, each, stop), drafts))
        except FileError as error:
            words = f"files[{index}] ({each.path}): {str(error).rstrip('.')}. {NOTHING_CHANGED}"
            raise FileError(error.problem, words) from error
    return drafts


def _expect_another(draft: _Draft, drafts: Sequence[_Draft]) -> _Draft:
    for other in drafts:
        if os.path.samestat(other.stat, draft.stat):
            raise FileError(Problem.BAD_PATH, f"it is the same file as {other.path}. Use one path for it")
    return draft


def _merged(files: Sequence[FileEdits]) -> Iterator[tuple[int, FileEdits]]:
    """Entries with the same path are one, in order; with the index of the first."""
    by_path: dict[str, tuple[int, FileEdits]] = {}
    for index, each in enumerate(files):
        first, so_far = by_path.get(each.path, (index, FileEdits(path=each.path, edits=())))
        by_path[each.path] = (first, FileEdits(path=each.path, edits=so_far.edits + each.edits))
    yield from by_path.values()


def _draft(root: Root, each: FileEdits, stop: Stop) -> _Draft:
    stop.check()
    with root.place(each.path) as place:
        fd = root.open_regular(place, each.path)
        try:
            found = os.fstat(fd)
            before = _whole(fd, each.path)
        finally:
            os.close(fd)
    try:
        text = before.decode()
        edited = apply_edits(text, each.edits, between=stop.check)
        after = edited.text.encode()
    except UnicodeDecodeError as error:
        raise FileError(Problem.NOT_TEXT, "it is not text in UTF-8") from error
    except UnicodeEncodeError as error:
        raise FileError(Problem.NOT_TEXT, "new_text has characters that UTF-8 cannot say") from error
    except EditError as error:
        raise FileError(Problem.FAILED, str(error)) from error
    diff = unified_diff(each.path, text, edited.text, edited.spans)
    return _Draft(path=each.path, stat=found, before=before, after=after, diff=diff)


def _whole(fd: int, path: str) -> bytes:
    data = _read_up_to(fd, EDIT_BYTES_MAX)
    if data is None:
        raise FileError(
            Problem.TOO_LARGE, f"{path} is larger than {EDIT_BYTES_MAX // 2**20} MiB and cannot be edited"
        )
    return data


def _read_up_to(fd: int, size_max: int) -> bytes | None:
    """The whole file; None when it has more. What was measured before may have grown since."""
    pieces: list[bytes] = []
    size = 0
    while data := os.read(fd, _CHUNK_BYTES):
        pieces.append(data)
        size += len(data)
        if size > size_max:
            return None
    return b"".join(pieces)


def _write_all(root: Root, drafts: Sequence[_Draft], stop: Stop) -> None:
    written: list[_Draft] = []
    for draft in drafts:
        if draft.before == draft.after:
            continue
        try:
            stop.check()
            _write_edited(root, draft, stop)
        except BaseException as error:
            restored, changed = _restored(root, written)
            if isinstance(error, FileError):
                raise _edit_failed(error, restored, changed) from error
            raise
        written.append(draft)


def _write_edited(root: Root, draft: _Draft, stop: Stop) -> None:
    with root.place(draft.path) as place:
        found = root.expect_file(place, draft.path)
        if _version(found) != _version(draft.stat):
            raise FileError(Problem.CHANGED, f"{draft.path} was changed by others meanwhile. Read it again.")
        with _directory(place) as directory:
            _replace(directory, place.name, draft.after, found, stop)


def _restored(root: Root, written: Sequence[_Draft]) -> tuple[list[str], list[str]]:
    """Give the files their former content; which ones have it again, and which not."""
    restored: list[str] = []
    changed: list[str] = []
    for draft in reversed(written):
        try:
            with root.place(draft.path) as place, _directory(place) as directory:
                _replace(directory, place.name, draft.before, place.stat, Stop())
            restored.append(draft.path)
        except (FileError, OSError):
            changed.append(draft.path)
    return restored, changed


def _edit_failed(error: FileError, restored: list[str], changed: list[str]) -> EditFailed:
    words = str(error)
    if changed:
        words += f" These files were changed and could not be restored: {', '.join(changed)}."
    if restored:
        words += f" Files that had been written were restored: {', '.join(restored)}."
    if not changed:
        words += f" {NOTHING_CHANGED}"
    return EditFailed(error.problem, words, restored=restored, changed=changed)


def _version(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _directory(place: Place) -> Iterator[int]:
    """The directory that the file is in. Those that do not exist yet are made."""
    held = [os.open(".", _DIRECTORY, dir_fd=place.directory)]
    try:
        for name in place.missing:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=held[-1])
            held.append(os.open(name, _DIRECTORY, dir_fd=held[-1]))
        yield held[-1]
    finally:
        for fd in held:
            os.close(fd)


def _replace(directory: int, name: str, data: bytes, found: os.stat_result | None, stop: Stop) -> None:
    """Write another file and give it the name of this one: at no time is there half a file."""
    if found is not None and not os.access(name, os.W_OK, dir_fd=directory, effective_ids=True):
        raise FileError(Problem.DENIED, f"{name} is read-only.")
    temporary = f".{name[:_NAME_CHARACTERS_KEPT]}.{secrets.token_hex(8)}.tmp"
    try:
        fd = os.open(temporary, _NEW, 0o666, dir_fd=directory)
        try:
            _fill(fd, data, found, stop)
        finally:
            os.close(fd)
        stop.check()
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=directory)
        if isinstance(error, OSError):
            raise as_file_error(error, name) from error
        raise


def _fill(fd: int, data: bytes, found: os.stat_result | None, stop: Stop) -> None:
    view = memoryview(data)
    while view:
        stop.check()
        view = view[os.write(fd, view[:_CHUNK_BYTES]) :]
    if found is not None:
        # The server may not give files away; then the file is its own, as any that it makes.
        with suppress(OSError):
            os.fchown(fd, found.st_uid, found.st_gid)
        # Not the bits that make a program run as its owner: it has another content now.
        os.fchmod(fd, stat.S_IMODE(found.st_mode) & 0o777)
    # Otherwise a power cut could leave an empty file under the new name.
    os.fsync(fd)
