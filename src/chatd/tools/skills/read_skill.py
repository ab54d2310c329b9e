"""read_skill: the instructions of a skill, and the files that come with it."""

import asyncio
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.domain.workspace.skill_list import SkillOrigin
from chatd.tools.arguments import typed
from chatd.tools.skills.library import Library
from chatd.tools.skills.supporting_files import supporting_files
from chatd.tools.tool import Setting, Tool, ToolError, touches_nothing
from chatd.workspaces.context.discover import SKILL_FILE
from chatd.workspaces.files import FileError

# For the list of files. The instructions do not wait for a workspace that is slow.
LISTING_SECONDS = 10.0

DESCRIPTION = (
    "Read the instructions of a skill, by the name under which it was listed. Do so before you begin a task "
    "that the skill is about. `files` are further files of the skill, which read_skill_file reads."
)


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="The skill, such as `deploy` or `personal/deploy`.")]


def read_skill(library: Library) -> Tool[Args]:
    async def run(args: Args, setting: Setting) -> Json:
        skill = library.find(args.name)
        body = await library.read_body(skill)
        if body is None:
            raise ToolError(f"The skill {skill.alias} is not there any more. Go on without it.")
        if skill.origin is SkillOrigin.PERSONAL:
            return {"name": skill.alias, "body": body, "files": []}
        directory = skill.source.removesuffix(f"/{SKILL_FILE}")
        files = await _files(setting, directory)
        return {"name": skill.alias, "dir": directory, "body": body, "files": files}

    return Tool(
        name="read_skill",
        description=DESCRIPTION,
        arguments=typed(Args),
        effect=Effect.READ,
        run=run,
        touches=touches_nothing,
        seconds_max=60.0,
    )


async def _files(setting: Setting, directory: str) -> list[str]:
    """As they are now. None, if the workspace is away: the instructions are pinned to the chat."""
    if setting.workspace is None:
        return []
    try:
        async with asyncio.timeout(LISTING_SECONDS):
            return await supporting_files(setting.workspace.files, directory)
    except (FileError, TimeoutError):
        return []
