"""edit_files: replace pieces of text in one or several files, all of them or none."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.arguments import Arguments, typed
from chatd.tools.files.diffs import bounded
from chatd.tools.files.place import SECONDS_MAX, as_tool_errors, expect_writable, explain, files_of
from chatd.tools.json_schema import Mismatch, lookalike
from chatd.tools.tool import Setting, Tool
from chatd.workspaces.files import EDIT_FILES_MAX, EDITS_MAX, FileEdits, FileError, TextEdit
from chatd.workspaces.workspace import Workspace

# What models were once told to write, and what it is called now.
DEPRECATED = {"search": "old_text", "replace": "new_text"}
FILE_TAKES = "A file takes path (required), edits (required)"
EDIT_TAKES = "An edit takes old_text (required), new_text (required), replace_all"


class EditArgs(Struct, frozen=True, forbid_unknown_fields=True):
    old_text: Annotated[
        str,
        Meta(
            description="The text to replace, quoted from the file without line numbers, with enough around "
            "it to be there only once."
        ),
    ]
    new_text: Annotated[str, Meta(description="What takes its place; empty to remove it.")]
    replace_all: Annotated[bool, Meta(description="Replace it wherever it is.")] = False


class FileArgs(Struct, frozen=True, forbid_unknown_fields=True):
    path: Annotated[str, Meta(description="The file: a path from the root of the workspace.")]
    edits: Annotated[
        tuple[EditArgs, ...],
        Meta(
            min_length=1,
            max_length=EDITS_MAX,
            description="Made in this order, each in the result of the one before.",
        ),
    ]


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    files: Annotated[
        tuple[FileArgs, ...],
        Meta(min_length=1, max_length=EDIT_FILES_MAX, description="The files, each with its edits."),
    ]


_SHAPE = typed(Args)


def check(value: Json) -> Args:
    """As the struct says, with the deprecated names, and with errors that name the index."""
    known = _with_known_names(value)
    try:
        return _SHAPE.check(known)
    except Mismatch as error:
        if lookalike(_SHAPE.schema, known):
            raise
        raise _first_misfit(known) or error from error


def _with_known_names(value: Json) -> Json:
    """Of what is too long to be taken, just enough to be refused."""
    match value:
        case {"files": list() as files}:
            return {**value, "files": [_file_with_known_names(file) for file in files[: EDIT_FILES_MAX + 1]]}
        case _:
            return value


def _file_with_known_names(file: Json) -> Json:
    match file:
        case {"edits": list() as edits}:
            return {**file, "edits": [_renamed(edit) for edit in edits[: EDITS_MAX + 1]]}
        case _:
            return file


def _renamed(edit: Json) -> Json:
    """A deprecated name counts where the new one says nothing."""
    if not isinstance(edit, dict):
        return edit
    renamed = {name: value for name, value in edit.items() if name not in DEPRECATED}
    for old, new in DEPRECATED.items():
        if old in edit and renamed.get(new, "") == "":
            renamed[new] = edit[old]
    return renamed


def _first_misfit(value: Json) -> Mismatch | None:
    """What is wrong with one of the files or edits, with its index; None: it is something else."""
    files = value.get("files") if isinstance(value, dict) else None
    for index, file in enumerate(files if isinstance(files, list) else ()):
        edits = file.get("edits") if isinstance(file, dict) else None
        for number, edit in enumerate(edits if isinstance(edits, list) else ()):
            if (wrong := _misfit(edit, EditArgs)) is not None:
                return Mismatch(f"files[{index}].edits[{number}]: {wrong}. {EDIT_TAKES}")
        if (wrong := _misfit(file, FileArgs)) is not None:
            return Mismatch(f"files[{index}]: {wrong}. {FILE_TAKES}")
    return None


def _misfit(value: Json, shape: type[Struct]) -> str | None:
    try:
        msgspec.convert(value, shape)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        return str(error)
    return None


async def run(args: Args, setting: Setting) -> Json:
    files = files_of(setting)
    with as_tool_errors():
        await expect_writable(setting, touches(args).writes)
        edited = await files.edit(_asked(args))
    return {"ok": True, "files": bounded(edited)}


async def preview(args: Args, workspace: Workspace) -> str:
    try:
        edited = await workspace.files.edit(_asked(args), only_preview=True)
    except FileError as error:
        return explain(error)
    return "".join(each["diff"] for each in bounded(edited)) or "It changes nothing."


def touches(args: Args) -> Touches:
    return Touches(writes=tuple(dict.fromkeys(file.path for file in args.files)))


def _asked(args: Args) -> list[FileEdits]:
    return [
        FileEdits(
            path=file.path,
            edits=tuple(
                TextEdit(old_text=edit.old_text, new_text=edit.new_text, replace_all=edit.replace_all)
                for edit in file.edits
            ),
        )
        for file in args.files
    ]


edit_files = Tool(
    name="edit_files",
    description=(
        "Replace pieces of text in one or several files. All edits are checked before the first file is "
        "written: if one does not fit, nothing is changed, and the error says which one and why. White space "
        "at the ends of lines need not be quoted exactly; the file's own indentation and line endings are "
        "kept. The result has the diff of each file."
    ),
    arguments=Arguments(_SHAPE.schema, check),
    # A second time, old_text may not be there any more, or be there again.
    effect=Effect.ONCE,
    run=run,
    touches=touches,
    preview=preview,
    seconds_max=SECONDS_MAX,
)
