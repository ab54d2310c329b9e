"""The system prompt: named parts, always in one order.

Providers cache a prompt from its beginning up to the first difference. So what changes least stands first:
what is the same for the whole server, then what is of the workspace and the user, then what is of the chat.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from chatd.agent.prompts.fit_parts import fitting
from chatd.domain.chat import Chat
from chatd.domain.setup import Setup
from chatd.providers.model import Model

# What a part says to this model in this chat. Empty: nothing.
PartText: TypeAlias = Callable[[Chat, Model, Setup], Awaitable[str]]


class PromptPart(Struct, frozen=True):
    """A part that a prompt may have. People find it by its name."""

    name: str
    text: PartText
    # Words of the deployment, which only administrators are shown.
    of_deployment: bool = False
    # If there is no room for all of it, the model is told only how it begins and ends.
    may_be_shortened: bool = False


class SaidPart(Struct, frozen=True, kw_only=True):
    """A part that the prompt of a chat has."""

    name: str
    text: str
    of_deployment: bool = False


class SystemPrompt:
    """Made anew for each turn, and whenever the setup of the chat changes."""

    def __init__(self, parts: Sequence[PromptPart]) -> None:
        assert len({part.name for part in parts}) == len(parts), "two parts have the same name"
        self._parts = parts

    async def said(self, chat: Chat, model: Model, setup: Setup) -> tuple[SaidPart, ...]:
        """The parts that say something."""
        texts = {part.name: await part.text(chat, model, setup) for part in self._parts}
        shortenable = [part.name for part in self._parts if part.may_be_shortened]
        fixed = [text for name, text in texts.items() if name not in shortenable]
        shorter = fitting(fixed, [texts[name] for name in shortenable], model.context_limit)
        texts |= dict(zip(shortenable, shorter, strict=True))
        return tuple(
            SaidPart(name=part.name, text=texts[part.name], of_deployment=part.of_deployment)
            for part in self._parts
            if texts[part.name].strip()
        )

    async def texts(self, chat: Chat, model: Model, setup: Setup) -> tuple[str, ...]:
        """What is sent."""
        return tuple(part.text for part in await self.said(chat, model, setup))


async def instructions_of_chat(_: Chat, __: Model, setup: Setup) -> str:
    """What the caller of the API wants to be said in this chat."""
    return setup.instructions


# Last of all parts: of two instructions that contradict each other, models follow the later one.
INSTRUCTIONS = PromptPart("instructions", instructions_of_chat, may_be_shortened=True)
