"""Which parts a system prompt has, in their order. To add one, write its function and a line of the table.

A function answers with the same words at each turn as long as nothing has changed: every difference makes
the provider read all that follows anew, at full price.
"""

from collections.abc import Awaitable, Callable

from chatd.agent.advisor.advising import Advising
from chatd.agent.context.telling import Telling
from chatd.agent.families.delegating import Delegating
from chatd.agent.prompts.base import BASE
from chatd.agent.prompts.plan import plan_of_chat
from chatd.agent.prompts.system_prompt import INSTRUCTIONS, PromptPart, SystemPrompt
from chatd.catalog.catalog import Catalog
from chatd.domain.chat import Chat
from chatd.domain.profile.chat_kind import ChatKind, kind_of
from chatd.domain.setup import Setup
from chatd.providers.model import Model

# What a model is told of the workspace in this directory; None: there is none.
OfPlace = Callable[[str | None], Awaitable[str]]


def system_prompt(
    catalog: Catalog, telling: Telling, advising: Advising, delegating: Delegating, *, of_place: OfPlace
) -> SystemPrompt:
    async def base(_: Chat, __: Model, ___: Setup) -> str:
        replaced = await catalog.base_prompt()
        return BASE if replaced is None else replaced

    async def administrator(_: Chat, __: Model, ___: Setup) -> str:
        return await catalog.deployment_prompt()

    async def plan_administrator(chat: Chat, _: Model, setup: Setup) -> str:
        plans = kind_of(chat, setup) is ChatKind.PLANNING_ROOT
        return await catalog.plan_prompt() if plans else ""

    async def place(_: Chat, __: Model, setup: Setup) -> str:
        return await of_place(setup.workspace)

    async def workspace(chat: Chat, model: Model, _: Setup) -> str:
        """Its instruction files, and the list of skills."""
        return "\n\n".join(await telling.prompts(chat, model))

    async def user(chat: Chat, _: Model, __: Setup) -> str:
        return await catalog.prompt_of(chat.owner_id)

    return SystemPrompt(
        (
            PromptPart("base", base, of_deployment=True),
            PromptPart("administrator", administrator, of_deployment=True),
            PromptPart("user", user, may_be_shortened=True),
            PromptPart("place", place),
            PromptPart("workspace", workspace),
            PromptPart("agents", delegating.guidance),
            PromptPart("plan", plan_of_chat),
            PromptPart("plan_administrator", plan_administrator, of_deployment=True),
            PromptPart("advisor", advising.guidance),
            INSTRUCTIONS,
        )
    )
