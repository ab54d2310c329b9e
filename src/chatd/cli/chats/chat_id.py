"""Which chat is meant: its whole id, or the beginning of it."""

import re
from collections.abc import AsyncIterator

from chatd.client import AsyncClient
from chatd.client.answers import Chat, UserPrompt
from chatd.errors import Unusable
from chatd.kit.text import one_line, shortened

# What the server calls a chat.
_WHOLE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PREFIX_LENGTH_MIN = 4
# Ids begin with the time, so with a digit: words such as `dead` and `cafe` are none. Those of agents, which
# work for a chat, begin with anything.
_BEGINNING = re.compile(
    rf"[0-9][0-9a-f-]{{{PREFIX_LENGTH_MIN - 1},34}}|(?=[a-f-]*[0-9])[0-9a-f][0-9a-f-]{{7,34}}"
)

# One looks among so many of the newest chats, in the archive and outside of it.
PAGE_CHATS = 200
PAGES_MAX = 5
# And among the agents of so many of them.
FAMILIES_MAX = 20
# So many are named when a beginning fits several.
NAMED_MAX = 5
TITLE_WIDTH = 60


def looks_like_id(word: str) -> bool:
    return bool(_WHOLE.fullmatch(word) or _BEGINNING.fullmatch(word))


def is_whole_id(word: str) -> bool:
    return _WHOLE.fullmatch(word) is not None


async def find_chat(client: AsyncClient, given: str) -> str:
    """The id of the chat that is meant. What cannot be the beginning of one is for the server to judge.

    One's own chats come first, then those that were shared with one, then agents. Raises Unusable when
    several chats begin so.
    """
    if is_whole_id(given) or not looks_like_id(given):
        return given
    found: list[Chat] = []
    for looked_through in (_newest(client), _shared(client), _agents(client)):
        async for chat in looked_through:
            if chat.id.startswith(given):
                found.append(chat)
                if len(found) > NAMED_MAX:
                    break
        if found:
            break
    if len(found) > 1:
        raise Unusable("\n".join([f"Several chats begin with {given!r}:", *_named(found)]))
    return found[0].id if found else given


async def newest_chat(client: AsyncClient) -> Chat:
    """The one that changed last, which may stand behind pinned ones. Raises Unusable when there is none."""
    page = await client.chats(limit=PAGE_CHATS)
    if not page.chats:
        raise Unusable("You have no chat yet. Leave --continue out to begin one.")
    return await client.chat(max(page.chats, key=lambda chat: (chat.updated_at, chat.id)).id)


async def newest_prompt(client: AsyncClient, chat_id: str) -> UserPrompt:
    """The last message of the user. Raises Unusable when there is none."""
    prompts = await client.prompts(chat_id, limit=1)
    if not prompts:
        raise Unusable("No user has said anything with words in this chat. Name a message by its number.")
    return prompts[0]


async def _newest(client: AsyncClient) -> AsyncIterator[Chat]:
    """One's own, and then those of others that are shared with one."""
    for source, archived in ((None, False), (None, True), ("shared", False)):
        cursor: str | None = None
        for _ in range(PAGES_MAX):
            page = await client.chats(limit=PAGE_CHATS, cursor=cursor, archived=archived, source=source)
            for chat in page.chats:
                yield chat
            cursor = page.next
            if cursor is None:
                break


async def _shared(client: AsyncClient) -> AsyncIterator[Chat]:
    for chat in (await client.chats(limit=PAGE_CHATS, source="shared")).chats:
        yield chat


async def _agents(client: AsyncClient) -> AsyncIterator[Chat]:
    """Those that work for one's newest chats."""
    page = await client.chats(limit=PAGE_CHATS)
    for parent in [chat for chat in page.chats if chat.children.count][:FAMILIES_MAX]:
        for chat in (await client.children(parent.id)).chats:
            yield chat


def _named(found: list[Chat]) -> list[str]:
    lines = [f"  {chat.id}  {shortened(one_line(chat.title), TITLE_WIDTH)}" for chat in found[:NAMED_MAX]]
    return [*lines, "  …"] if len(found) > NAMED_MAX else lines
