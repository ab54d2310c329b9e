"""Titles that a model finds for a chat, when its owner asks for one."""

from collections.abc import Awaitable
from typing import TypeVar

from chatd.agent.texts.titles import Titles
from chatd.api import bodies
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import in_use, permitted, still
from chatd.api.chats.showing import show_locked
from chatd.api.failures import ModelFailed
from chatd.api.router import Asked
from chatd.api.serving.callers.permits import Seen
from chatd.errors import BadInput, NotAllowed, ProviderError

T = TypeVar("T")

ADMINISTRATOR = "An administrator can choose another model for titles, with texts_model in the settings."


async def regenerate(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    titles, seen = await _admitted(asked)
    done = await _explained(titles.regenerate(seen.chat.id, still(asked)))
    return await show_locked(asked, seen, done.locked)


async def propose(asked: Asked[Nothing, Nothing]) -> bodies.ProposedTitle:
    titles, seen = await _admitted(asked)
    return bodies.ProposedTitle(title=await _explained(titles.propose(seen.chat.id)))


async def _admitted(asked: Asked[Nothing, Nothing]) -> tuple[Titles, Seen]:
    seen = await permitted(asked)
    in_use(seen.chat)
    if asked.server.titles is None:
        raise NotAllowed("no_models", "This server calls no models itself.")
    return asked.server.titles, seen


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
