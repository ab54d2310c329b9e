"""attach_file: hand a file of the workspace to the people who read the chat."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.ids import FileId
from chatd.domain.part import Json
from chatd.kit.ids import new_id
from chatd.kit.media_type import type_of
from chatd.tools.arguments import typed
from chatd.tools.calls.attachable import ATTACHMENT_BYTES_MAX, too_large
from chatd.tools.files.place import SECONDS_MAX, as_tool_errors, expect_readable, files_of
from chatd.tools.tool import Attachment, Result, Setting, Tool, ToolError


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    path: Annotated[str, Meta(description="The file: a path from the root of the workspace.")]
    name: Annotated[
        str | None, Meta(description="What the file is called in the chat; its own name by default.")
    ] = None


async def run(args: Args, setting: Setting) -> Json:
    with as_tool_errors():
        piece = await files_of(setting).read(args.path, limit=ATTACHMENT_BYTES_MAX + 1)
    await expect_readable(setting, args.path, piece.path)
    if len(piece.data) > ATTACHMENT_BYTES_MAX:
        raise too_large(args.path, max(piece.file_size, len(piece.data)))
    if not piece.data:
        raise ToolError(f"Nothing was attached: {args.path} is empty.")
    name = _last(args.name or "") or _last(args.path)
    file = Attachment(id=FileId(new_id()), name=name, media_type=type_of(piece.data, name), data=piece.data)
    result = {
        "ok": True,
        "path": args.path,
        "file_id": file.id,
        "name": file.name,
        "media_type": file.media_type,
        "size": len(file.data),
    }
    return Result(value=result, attachments=(file,))


def _last(path: str) -> str:
    """The name without the directories before it, whichever way the slashes lean."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2].strip()


attach_file = Tool(
    name="attach_file",
    description=(
        "Attach a file of the workspace to the chat, where the user can see and download it: a report, a "
        "picture, an archive. It is not for reading files: use read_file."
    ),
    arguments=typed(Args),
    # After a crash it may be read again: a file whose result was not kept is in no chat.
    effect=Effect.READ,
    run=run,
    touches=lambda args: Touches(reads=(args.path,)),
    seconds_max=SECONDS_MAX,
)
