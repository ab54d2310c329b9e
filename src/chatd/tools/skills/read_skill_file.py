"""read_skill_file: a file that comes with a skill of the workspace."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.domain.workspace.skill_list import ListedSkill, SkillOrigin
from chatd.kit.hidden import without_hidden
from chatd.tools.arguments import typed
from chatd.tools.files.place import SECONDS_MAX, as_tool_errors, files_of
from chatd.tools.skills.library import Library
from chatd.tools.skills.supporting_files import check_path, real_path
from chatd.tools.tool import Setting, Tool, ToolError
from chatd.workspaces.context.discover import SKILL_FILE

FILE_BYTES_MAX = 512 * 1024

DESCRIPTION = "Read a file that comes with a skill, as read_skill lists them."


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="The skill, such as `deploy` or `workspace/deploy`.")]
    path: Annotated[str, Meta(description="The file: a path from the directory of the skill on.")]


def read_skill_file(library: Library) -> Tool[Args]:
    async def run(args: Args, setting: Setting) -> Json:
        directory = _directory(library.find(args.name))
        check_path(args.path)
        files = files_of(setting)
        with as_tool_errors():
            path = await real_path(files, directory, args.path)
            piece = await files.read(path, limit=FILE_BYTES_MAX)
        result: dict[str, Json] = {"content": _text(args.path, piece.data)}
        if piece.file_size > len(piece.data):
            result["note"] = f"These are the first {len(piece.data)} of {piece.file_size} bytes."
        return result

    def touches(args: Args) -> Touches:
        try:
            return Touches(reads=(f"{_directory(library.find(args.name))}/{args.path}",))
        except ToolError:
            # There is no such skill, so nothing will be read.
            return Touches()

    return Tool(
        name="read_skill_file",
        description=DESCRIPTION,
        arguments=typed(Args),
        effect=Effect.READ,
        run=run,
        touches=touches,
        seconds_max=SECONDS_MAX,
    )


def _directory(skill: ListedSkill) -> str:
    if skill.origin is SkillOrigin.PERSONAL:
        raise ToolError(f"{skill.alias} is a personal skill. It has no files beside its instructions.")
    return skill.source.removesuffix(f"/{SKILL_FILE}")


def _text(path: str, data: bytes) -> str:
    try:
        # What was cut off may end in the middle of a character.
        return without_hidden(data.decode("utf-8", "ignore" if len(data) == FILE_BYTES_MAX else "strict"))
    except UnicodeDecodeError as error:
        raise ToolError(f"{path} is not text.") from error
