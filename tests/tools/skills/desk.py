"""The tools for skills in a chat with a real directory, for tests."""

from pathlib import Path
from typing import Any

from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId
from chatd.domain.workspace.skill_list import ListedSkill, PersonalSkill, list_skills
from chatd.tools.calls.call import run_call
from chatd.tools.skills import skill_tools
from chatd.tools.skills.library import Library
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.workspace import Workspace
from tests.words import a_skill
from tests.workspaces.files_only import FilesOnly

MINE = PersonalSkill(name="review", description="My way.")


async def body_of(skill: ListedSkill) -> str | None:
    return None if skill.name == "gone" else f"Do {skill.qualified}."


def library(*workspace: str, personal: tuple[PersonalSkill, ...] = ()) -> Library:
    return Library(skills=list_skills(map(a_skill, workspace), personal), read_body=body_of)


class Asking:
    def __init__(self, known: Library, root: Path | None) -> None:
        self.toolbox = Toolbox(skill_tools(known))
        self.workspace: Workspace | None = FilesOnly(root) if root is not None else None

    async def __call__(self, tool: str, **args: object) -> CallResult:
        setting = Setting(
            chat_id=ChatId("chat"), call_id=CallId("call"), show=lambda _: None, workspace=self.workspace
        )
        return (await run_call(self.toolbox, tool, args, setting)).result

    async def result(self, tool: str, **args: object) -> Any:
        answer = await self(tool, **args)
        assert not answer.is_error, answer
        return answer.result

    async def error(self, tool: str, **args: object) -> str:
        answer = await self(tool, **args)
        assert answer.is_error, answer
        assert isinstance(answer.result, dict)
        return str(answer.result["error"])
