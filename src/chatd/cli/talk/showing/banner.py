"""What one reads first: where one is, and how to get help."""

from msgspec import UnsetType

import chatd
from chatd.cli.talk.showing.place import place_in_words, waiting_for_trust
from chatd.client import ApiError, AsyncClient
from chatd.client.answers import Chat
from chatd.kit.text import one_line, shortened

TITLE_LENGTH_MAX = 60


async def banner(
    client: AsyncClient, chat: Chat | None, workspace: str | UnsetType, model: str | None
) -> list[str]:
    """A few lines. `model` is the one that was asked for."""
    used = model or (chat.last_model if chat is not None else None) or await _default(client)
    where = f"“{shortened(one_line(chat.title), TITLE_LENGTH_MAX)}”" if chat is not None else "a new chat"
    lines = [
        f"chatd {chatd.__version__} at {client.address}: {where}{f' with {used}' if used else ''}",
        "/help lists what you can type. Alt-Enter begins another line, Ctrl-C stops the agent.",
    ]
    told = [await place_in_words(client, chat, workspace), await waiting_for_trust(client, chat, workspace)]
    return lines + [words for words in told if words is not None]


async def _default(client: AsyncClient) -> str | None:
    try:
        return next((model.name for model in await client.models() if model.is_default), None)
    except ApiError:
        return None
