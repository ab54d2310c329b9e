"""What one reads first: where one is, and how to get help."""

import asyncio

from msgspec import UnsetType

import chatd
from chatd.cli.talk.showing.place import place_in_words, waiting_for_trust
from chatd.client import ApiError, AsyncClient
from chatd.client.answers import Chat
from chatd.kit.text import one_line, shortened

TITLE_LENGTH_MAX = 60
HELP = "/help lists what you can type. Alt-Enter begins another line, Esc stops the agent."
# Where only whole lines are read.
HELP_FOR_LINES = "/help lists what you can type. Ctrl-C stops the agent, Ctrl-D leaves."
IN_AGENT = "It works for another chat: /back goes there."


async def banner(
    client: AsyncClient, chat: Chat | None, workspace: str | UnsetType, model: str | None, help_: str = HELP
) -> tuple[list[str], str]:
    """A few lines, and the model that will answer. `model` is the one that was asked for.

    Raises Unreachable and ApiError where the server cannot be talked to.
    """
    known = model or (chat.last_model if chat is not None else None)
    # Together, so that a server far away is waited for once. The first says whether we are let in.
    _, default, place, trust = await asyncio.gather(
        client.chats(limit=1),
        _nothing() if known else _default(client),
        place_in_words(client, chat, workspace),
        waiting_for_trust(client, chat, workspace),
    )
    used = known or default or ""
    where = f"“{shortened(one_line(chat.title), TITLE_LENGTH_MAX)}”" if chat is not None else "a new chat"
    lines = [f"chatd {chatd.__version__} at {client.address}: {where}{f' with {used}' if used else ''}"]
    if chat is not None and chat.parent_chat_id is not None:
        lines.append(IN_AGENT)
    return [*lines, help_, *(words for words in (place, trust) if words is not None)], used


async def _nothing() -> None:
    return None


async def _default(client: AsyncClient) -> str | None:
    try:
        return next((model.name for model in await client.models() if model.is_default), None)
    except ApiError:
        return None
