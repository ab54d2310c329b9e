"""The database as the chaos sees it: asked in SQL of its own, also when it has just been away."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeAlias

import asyncpg

from chatd.domain.ids import ChatId, FileId
from chatd.domain.message import Message, Role, Visibility
from chatd.domain.part import Reasoning, Text, ToolCall, ToolResult
from chatd.storage.postgres.database import open_postgres
from chatd.storage.reads.read import Everything, read_everything
from tests.chaos.ledger import Line
from tests.fleet.fleet import Fleet
from tests.support.invariants import assert_coherent

PATIENCE_SECONDS = 60
PAUSE_SECONDS = 0.05
# What asyncpg makes of a connection that is lost depends on what it was doing.
AWAY = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

Ask: TypeAlias = Callable[..., Awaitable[list[Any]]]


def patient(fleet: Fleet) -> Ask:
    """Asks until there is an answer: meanwhile the database may be away, or connections are cut."""

    async def ask(sql: str, *args: object) -> list[Any]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                try:
                    return await fleet.query(sql, *args)
                except AWAY:
                    await asyncio.sleep(PAUSE_SECONDS)

    return ask


class Stored(NamedTuple):
    """One chat as it is in the database."""

    status: str
    waiting: int
    lines: tuple[Line, ...]
    incoherence: str | None = None


async def stored_chats(url: str, ask: Ask) -> dict[str, Stored]:
    ids = [row["id"] for row in await ask("SELECT id FROM chats ORDER BY id")]
    async with open_postgres(url) as database:
        chats = {}
        for chat_id in ids:
            everything = await read_everything(database, ChatId(chat_id))
            assert everything is not None
            chats[chat_id] = _stored(everything)
    return chats


def _stored(chat: Everything) -> Stored:
    seen = [each for each in chat.messages if not each.deleted and each.visibility is not Visibility.MODEL]
    return Stored(
        chat.chat.status.value,
        len(chat.queue),
        tuple(Line(each.id, each.role.value, _words(each)) for each in seen if each.role is not Role.SYSTEM),
        _incoherence(chat),
    )


def _words(message: Message) -> str:
    pieces = []
    for part in message.content:
        match part:
            case Text(text=text) | Reasoning(text=text):
                pieces.append(text)
            case ToolCall(tool_call_id=call_id):
                pieces.append(f"calls {call_id}")
            case ToolResult(tool_call_id=call_id, is_error=failed):
                pieces.append(f"{call_id} {'failed' if failed else 'answered'}")
            case other:
                pieces.append(type(other).__name__)
    return ", ".join(pieces)


def _incoherence(chat: Everything) -> str | None:
    try:
        assert_coherent(
            chat=chat.chat,
            messages=chat.messages,
            queue=chat.queue,
            calls=chat.calls,
            links=[FileId(file) for file in chat.files],
            branches=chat.branches,
            charges=chat.charges,
        )
    except AssertionError as error:
        # Many of them have no words but their own line.
        return str(error) or traceback.extract_tb(error.__traceback__)[-1].line
    return None
