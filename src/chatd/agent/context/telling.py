"""What the model of a chat is told of its workspace and its skills, and the tools to read the skills.

Of the workspace only what is pinned to the chat is used, because it may be away.
"""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from chatd.agent.context.prompt import context_prompts
from chatd.domain.chat import Chat
from chatd.domain.ids import UserId
from chatd.domain.setup import Setup
from chatd.domain.workspace.context import Resource
from chatd.domain.workspace.skill_list import ListedSkill, PersonalSkill, SkillOrigin, list_skills
from chatd.providers.model import Model
from chatd.storage.database import Database
from chatd.storage.reads.contexts import read_for_prompt, read_skill_body
from chatd.tools.skills import skill_tools
from chatd.tools.skills.library import Library
from chatd.tools.tool import AnyTool


class PersonalSkills(Protocol):
    """The skills that users keep on the server."""

    async def skills_of(self, user_id: UserId) -> tuple[PersonalSkill, ...]: ...

    async def skill_body(self, user_id: UserId, name: str) -> str | None:
        """The instructions of one; None: there is none of this name."""
        ...


class Telling:
    """Both are made once a turn, and anew when what is pinned to the chat has changed."""

    def __init__(self, db: Database, personal: PersonalSkills) -> None:
        self._db = db
        self._personal = personal

    async def prompts(self, chat: Chat, model: Model) -> tuple[str, ...]:
        resources = await self._pinned(chat)
        skills = list_skills(resources, await self._personal.skills_of(chat.owner_id))
        workspace = chat.context.workspace if chat.context is not None else ""
        return context_prompts(workspace, resources, skills, context_limit=model.context_limit)

    async def tools(self, chat: Chat, _: Model, __: Setup) -> Sequence[AnyTool]:
        personal = await self._personal.skills_of(chat.owner_id)
        skills = list_skills(await self._pinned(chat), personal)
        return skill_tools(Library(skills=skills, read_body=partial(self._body, chat)))

    async def _pinned(self, chat: Chat) -> tuple[Resource, ...]:
        return await read_for_prompt(self._db, chat.id) if chat.context is not None else ()

    async def _body(self, chat: Chat, skill: ListedSkill) -> str | None:
        if skill.origin is SkillOrigin.PERSONAL:
            return await self._personal.skill_body(chat.owner_id, skill.name)
        return await read_skill_body(self._db, chat.id, skill.source)
