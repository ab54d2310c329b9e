"""write_file: replace a file, or make a new one."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.arguments import typed
from chatd.tools.files.diffs import DIFF_CHARACTERS_MAX, shortened_diff
from chatd.tools.files.place import SECONDS_MAX, as_tool_errors, expect_writable, explain, files_of
from chatd.tools.tool import Setting, Tool
from chatd.workspaces.files import FileError
from chatd.workspaces.workspace import Workspace


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    path: Annotated[str, Meta(description="The file: a path from the root of the workspace.")]
    content: Annotated[str, Meta(description="All that is to be in the file.")]


async def run(args: Args, setting: Setting) -> Json:
    files = files_of(setting)
    with as_tool_errors():
        await expect_writable(setting, [args.path])
        written = await files.write(args.path, _data(args))
    result: dict[str, Json] = {"ok": True, "created": written.created, "size": written.size}
    if written.created:
        # The model has just written all of it.
        return result
    if written.diff:
        result["diff"] = shortened_diff(written.diff, DIFF_CHARACTERS_MAX)
    return result


async def preview(args: Args, workspace: Workspace) -> str:
    try:
        written = await workspace.files.write(args.path, _data(args), only_preview=True)
    except FileError as error:
        return explain(error)
    return written.diff or (
        f"It writes {written.size} bytes to {args.path}. There is no diff: the file has this content "
        "already, is not text, or is too large to be compared."
    )


def _data(args: Args) -> bytes:
    # What JSON can say and UTF-8 cannot, a model does not mean.
    return args.content.encode("utf-8", "replace")


write_file = Tool(
    name="write_file",
    description=(
        "Write a whole file: make a new one, with the directories above it, or replace all that is in one. "
        "To change parts of a file use edit_files."
    ),
    arguments=typed(Args),
    # The same content again changes nothing.
    effect=Effect.REPEATABLE,
    run=run,
    touches=lambda args: Touches(writes=(args.path,)),
    preview=preview,
    seconds_max=SECONDS_MAX,
)
