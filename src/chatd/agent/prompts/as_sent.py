"""What the model of a chat would be told now before all that was said, for people who want to know."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from chatd.agent.hold.memory import Memory
from chatd.agent.prompts.system_prompt import SaidPart, SystemPrompt
from chatd.domain.chat import Chat
from chatd.domain.setup import Setup
from chatd.providers.model import Model, Models
from chatd.storage.database import Database
from chatd.storage.reads.read import read_setup
from chatd.tools.toolbox import Offer, Toolbox


class PromptAsSent(Struct, frozen=True, kw_only=True):
    model: str
    parts: tuple[SaidPart, ...]
    tools: tuple[Offer, ...]


class PromptReader(Struct, frozen=True, kw_only=True):
    """Makes it in the way in which a turn does."""

    db: Database
    models: Models
    prompt: SystemPrompt
    toolbox_of: Callable[[Chat, Model, Setup], Awaitable[Toolbox]]

    async def read(self, chat: Chat) -> PromptAsSent:
        """As at the beginning of a step. Raises ProviderError when the model of the chat cannot be used."""
        model = await self.models.find(chat.last_model, chat.owner_id)
        setup = await read_setup(self.db, chat.id)
        toolbox = await self.toolbox_of(chat, model, setup)
        if toolbox.follows_history:
            memory = Memory()
            await memory.refresh(self.db, chat.id, up_to=chat.versions.history)
            toolbox.follow(memory.prompt())
        parts = await self.prompt.said(chat, model, setup)
        return PromptAsSent(model=model.name, parts=parts, tools=toolbox.specs())
