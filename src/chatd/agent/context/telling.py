"""What the model of a chat is told of its workspace, read from what is pinned to the chat."""

from chatd.agent.context.prompt import context_prompts
from chatd.domain.chat import Chat
from chatd.domain.skill_list import list_skills
from chatd.providers.model import Model
from chatd.storage.contexts import read_for_prompt
from chatd.storage.database import Database


async def told_by_workspace(db: Database, chat: Chat, model: Model) -> tuple[str, ...]:
    """Made once a turn. Nothing is read of the workspace itself, which may be away."""
    if chat.context is None:
        return ()
    resources = await read_for_prompt(db, chat.id)
    return context_prompts(
        chat.context.workspace, resources, list_skills(resources, ()), context_limit=model.context_limit
    )
