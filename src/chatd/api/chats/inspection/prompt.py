"""What the model of a chat would be told now, part by part."""

from chatd.agent.prompts.as_sent import PromptAsSent
from chatd.agent.prompts.system_prompt import SaidPart
from chatd.api.bodies import Nothing
from chatd.api.chats.inspection.prompt_bodies import PromptPartView, PromptToolView, SystemPromptView
from chatd.api.chats.permitted import permitted
from chatd.api.router import Asked
from chatd.api.serving.limits.admission import Heavy
from chatd.domain.chat import Chat
from chatd.domain.part import Json
from chatd.domain.people.deeds import Deed
from chatd.domain.usage.size import BYTES_PER_TOKEN
from chatd.errors import NotAllowed, ProviderError
from chatd.kit.codec import encode
from chatd.records.audience import WITHHELD
from chatd.tools.toolbox import Offer


async def show(asked: Asked[Nothing, Nothing]) -> SystemPromptView:
    """Its MCP servers may have to be connected to first, so few are looked at at once."""
    seen = await permitted(asked)
    chat = seen.chat
    reader = asked.server.prompts
    if reader is None:
        raise NotAllowed("no_agents", "No agents work here.", hint="Ask a server that runs chats.")
    with asked.admitted(Heavy.REFRESH):
        try:
            told = await reader.read(chat)
        except ProviderError as error:
            raise NotAllowed(
                "model_unusable", error.message, hint="Choose another model for the chat, and ask again."
            ) from error
    return _view(chat, told, shows_all=asked.may(Deed.CHAT_WIRE, seen))


def _view(chat: Chat, told: PromptAsSent, *, shows_all: bool) -> SystemPromptView:
    parts = tuple(_part(part, is_shown=shows_all or not part.of_deployment) for part in told.parts)
    tools = tuple(_tool(offer) for offer in told.tools)
    return SystemPromptView(
        model=told.model,
        parts=parts,
        tools=tools,
        tokens=sum(part.tokens for part in parts) + sum(tool.tokens for tool in tools),
        history_tokens=chat.projection.estimated_tokens,
    )


def _part(part: SaidPart, *, is_shown: bool) -> PromptPartView:
    return PromptPartView(
        name=part.name,
        text=part.text if is_shown else WITHHELD,
        withheld=not is_shown,
        tokens=_tokens(part.text),
    )


def _tool(offer: Offer) -> PromptToolView:
    return PromptToolView(
        name=offer.name,
        description=offer.description,
        input_schema=offer.input_schema,
        tokens=_tokens([offer.name, offer.description, offer.input_schema]),
    )


def _tokens(said: Json) -> int:
    return -(-len(encode(said)) // BYTES_PER_TOKEN)
