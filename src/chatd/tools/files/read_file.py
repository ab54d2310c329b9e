"""read_file: show the model lines or bytes of a file, a picture, or pages."""

from codecs import getincrementaldecoder
from collections.abc import Mapping
from itertools import accumulate
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.arguments import typed
from chatd.tools.calls.call import MEDIA_BYTES_MAX
from chatd.tools.files.beginning import BINARY, UTF_16, type_unless_text
from chatd.tools.files.near_names import near_paths
from chatd.tools.files.place import SECONDS_MAX, as_tool_errors, expect_readable, files_of
from chatd.tools.tool import Media, Setting, Tool, ToolError
from chatd.workspaces.files import FileError, Files, Line, Lines, Problem

LINES_MAX = 2000
LINE_BYTES_MAX = 1024
BYTES_MAX = 32 * 1024
# Providers take pictures of about this size, and PDFs of more.
IMAGE_BYTES_MAX = 5 * 1024 * 1024
# No file is larger, and the system takes no larger number.
_OFFSET_MAX = 2**62
_DECODER = getincrementaldecoder("utf-8")

NOTES: Mapping[str, str] = {
    BINARY: "The file is not text. Look at it with a command that knows what it is, if you can run one.",
    UTF_16: "The file is text in UTF-16. Convert it first, for example with `iconv -f utf-16 -t utf-8`.",
}


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    path: Annotated[str, Meta(description="The file: a path from the root of the workspace.")]
    offset: Annotated[int | None, Meta(description="The first line to show, counting from 1.")] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description=f"How many lines to show; at most and by default {LINES_MAX}."),
    ] = None
    byte_offset: Annotated[
        int | None,
        Meta(
            description="Show bytes instead of lines, from this one on, counting from 0. A negative number "
            "counts from the end: -2000 shows the last 2000 bytes."
        ),
    ] = None
    byte_limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description=f"How many bytes to show; at most and by default {BYTES_MAX}."),
    ] = None


async def run(args: Args, setting: Setting) -> Json:
    by_bytes = args.byte_offset is not None or args.byte_limit is not None
    by_lines = args.offset is not None or args.limit is not None
    if by_bytes and by_lines:
        raise ToolError("Lines and bytes cannot be asked for together. Give offset and limit, or the others.")
    files = files_of(setting)
    with as_tool_errors():
        if by_bytes:
            return await _bytes(files, args, setting)
        # Once: what the rules are asked about, what is looked at and what is shown are the same file.
        found = await _some_lines(files, args)
        await expect_readable(setting, args.path, found.path)
        media_type = type_unless_text(found.beginning)
        if media_type is None:
            return _lines(found, args.path)
        can_be_shown = media_type in setting.sees and found.file_size <= _shown_bytes_max(media_type)
        if can_be_shown and not by_lines:
            return await _media(files, args.path, media_type, setting)
        return _not_text(found.file_size, media_type, setting.sees)


async def _some_lines(files: Files, args: Args) -> Lines:
    first = max(1, args.offset or 1)
    count = min(args.limit or LINES_MAX, LINES_MAX)
    try:
        return await files.read_lines(
            args.path, first=first, count=count, line_bytes_max=LINE_BYTES_MAX, bytes_max=BYTES_MAX
        )
    except FileError as error:
        if error.problem is Problem.MISSING and (near := await near_paths(files, args.path)):
            raise ToolError(f"{error} Do you mean {' or '.join(near)}?") from error
        raise


def _lines(found: Lines, path: str) -> Json:
    first = found.first
    if not found.lines and found.file_size:
        raise ToolError(f"{path} has {found.total_lines} lines, so none begins at offset {first}.")
    content, count = _numbered(found)
    result: dict[str, Json] = {"content": content, "file_size": found.file_size, "lines_read": count}
    if found.total_lines is not None:
        result["total_lines"] = found.total_lines
    following = first + count
    if count and (found.total_lines is None or following <= found.total_lines):
        of_all = f" of {found.total_lines}" if found.total_lines is not None else ""
        result["next_offset"] = following
        result["note"] = f"These are lines {first} to {following - 1}{of_all}. Go on with offset {following}."
    return result


def _numbered(found: Lines) -> tuple[str, int]:
    """As many lines as fit with their numbers, but at least one; and how many these are."""
    lines = [_clipped(line) if line.clipped else line.data for line in found.lines]
    numbered = map(b"%d\t%s".__mod__, enumerate(lines, found.first))
    # All at once: a line ending is part of no character, also where bytes are no text.
    whole = b"\n".join(numbered).decode(errors="replace")
    if len(whole.encode()) < BYTES_MAX:
        return whole, len(lines)
    shown = whole.split("\n")
    sizes = accumulate(len(text.encode()) + 1 for text in shown)
    count = max(1, sum(size <= BYTES_MAX for size in sizes))
    return "\n".join(shown[:count]), count


def _clipped(line: Line) -> bytes:
    text, _ = _begun(line.data)
    return f"{text} [… {line.clipped} more bytes in this line]".encode()


async def _bytes(files: Files, args: Args, setting: Setting) -> Json:
    offset = max(-_OFFSET_MAX, min(args.byte_offset or 0, _OFFSET_MAX))
    piece = await files.read(args.path, offset=offset, limit=min(args.byte_limit or BYTES_MAX, BYTES_MAX))
    await expect_readable(setting, args.path, piece.path)
    if not piece.data and piece.offset:
        raise ToolError(f"{args.path} has {piece.file_size} bytes, so none is at byte_offset {offset}.")
    if b"\0" in piece.data:
        return _not_text(piece.file_size, BINARY)
    text, length = _begun(piece.data)
    end = piece.offset + length
    result: dict[str, Json] = {"content": text, "file_size": piece.file_size, "byte_offset": piece.offset}
    if end < piece.file_size:
        result["next_byte_offset"] = end
        result["note"] = f"These are bytes {piece.offset} to {end - 1}. Go on with byte_offset {end}."
    return result


def _begun(data: bytes) -> tuple[str, int]:
    """The text without a character that is cut off at its end, and of how many bytes it is."""
    decoder = _DECODER("replace")
    text = decoder.decode(data)
    cut_off, _ = decoder.getstate()
    if not text:
        return data.decode(errors="replace"), len(data)
    return text, len(data) - len(cut_off)


async def _media(files: Files, path: str, media_type: str, setting: Setting) -> Json:
    # It may have grown since its beginning was read; the frame refuses what is too large then.
    piece = await files.read(path, limit=_shown_bytes_max(media_type) + 1)
    await expect_readable(setting, path, piece.path)
    return Media(
        data=piece.data,
        media_type=media_type,
        text=f"{path}: {media_type}, {len(piece.data)} bytes",
        name=path.rpartition("/")[2],
    )


def _shown_bytes_max(media_type: str) -> int:
    return IMAGE_BYTES_MAX if media_type.startswith("image/") else MEDIA_BYTES_MAX


def _not_text(size: int, media_type: str, sees: frozenset[str] = frozenset()) -> Json:
    return {"file_size": size, "media_type": media_type, "note": _why_not_shown(size, media_type, sees)}


def _why_not_shown(size: int, media_type: str, sees: frozenset[str]) -> str:
    if media_type in NOTES:
        return NOTES[media_type]
    if media_type not in sees:
        return f"The file is of the type {media_type}, which this model cannot see."
    if size > _shown_bytes_max(media_type):
        return (
            f"The file is larger than the {_shown_bytes_max(media_type) // 2**20} MiB that can be shown. "
            "Make a smaller one of it first."
        )
    return "The file has no lines. Leave out offset and limit to see it."


read_file = Tool(
    name="read_file",
    description=(
        "Show lines of a text file, each behind its number and a tab, which are no part of the file. Files "
        f"may have any size: a call shows at most {LINES_MAX} lines and {BYTES_MAX // 1024} KiB, and says "
        f"where to go on. A line is cut after {LINE_BYTES_MAX} bytes. byte_offset shows any part of a file, "
        "such as its end. Pictures and PDFs are shown as such."
    ),
    arguments=typed(Args),
    effect=Effect.READ,
    run=run,
    touches=lambda args: Touches(reads=(args.path,)),
    seconds_max=SECONDS_MAX,
)
