"""Titles that a model finds for a chat, when its owner asks for one."""

from collections.abc import Awaitable
from typing import TypeVar

from chatd.agent.texts.titles import Titles
from chatd.api import bodies
from chatd.api.bodies import Nothing
from chatd.api.chats.chats import in_use, permitted_chat
from chatd.api.failures import ModelFailed
from chatd.api.router import Asked
from chatd.api.views import locked_view
from chatd.domain.ids import ChatId
from chatd.errors import BadInput, NotAllowed, ProviderError

T = TypeVar("T")

ADMINISTRATOR = "An administrator can choose another model for titles, with texts_model in the settings."


async def regenerate(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    titles, chat_id = await _admitted(asked)
    return locked_view((await _explained(titles.regenerate(chat_id))).locked)


async def propose(asked: Asked[Nothing, Nothing]) -> bodies.ProposedTitle:
    titles, chat_id = await _admitted(asked)
    return bodies.ProposedTitle(title=await _explained(titles.propose(chat_id)))


async def _admitted(asked: Asked[Nothing, Nothing]) -> tuple[Titles, ChatId]:
    chat = in_use(await permitted_chat(asked))
    if asked.server.titles is None:
        raise NotAllowed("no_models", "This server calls no models itself.")
    return asked.server.titles, chat.id


async def _explained(title: Awaitable[T]) -> T:
    """What went wrong with the model is for the caller, who waits for it."""
    try:
        return await title
    except ProviderError as error:
        match error.kind:
            case "config" | "missing_key" | "provider_disabled":
                raise BadInput("no_model", error.message, hint=ADMINISTRATOR) from error
            case "usage_limit":
                raise NotAllowed("usage_limit", error.message) from error
            case _:
                raise ModelFailed(error) from error
