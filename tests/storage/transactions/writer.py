"""A program that writes chats as fast as it can until somebody kills it.

    python -m tests.storage.transactions.writer DATABASE ROUND

Several chats are written at once. For each transaction that was answered, and only then, a
line goes out: the chat, and the snapshot it had reached.
"""

import asyncio
import sys
from contextlib import AbstractAsyncContextManager
from itertools import count
from pathlib import Path

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.transitions import Command
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.storage.database import Database
from chatd.storage.postgres.database import open_postgres
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.words import answers, call, create, said, says, send, step, user

CHATS = 4


def opened(where: str) -> AbstractAsyncContextManager[Database]:
    if where.startswith("postgresql:"):
        return open_postgres(where)
    return open_sqlite(Path(where), now_micros=SystemClock().now_micros)


def commands(turn: int) -> list[tuple[Command, ...]]:
    """One turn, in transactions that each touch several tables."""
    return [
        (step(says(f"turn {turn}", call("a"), call("b"))), send(f"queued {turn}")),
        (step(answers("a"), answers("b")),),
        (step(says(f"done {turn}")), FinishTurn()),
        (FinishTurn(),),
        (send(f"next {turn}"),),
    ]


async def keep_writing(store: Store, chat_id: ChatId) -> None:
    await create_chat(store, create(user("hello"), chat_id=chat_id))
    acknowledge(chat_id, 1)
    for turn in count(1):
        for together in commands(turn):
            done = await transact(store, chat_id, *together)
            acknowledge(chat_id, done.chat.versions.snapshot)
        if turn % 5 == 0:
            # The whole history leaves and a new one begins: the largest transaction there is.
            done = await transact(store, chat_id, EditMessage(message_id=MessageId(1), content=said("hello")))
            acknowledge(chat_id, done.chat.versions.snapshot)
            return


def acknowledge(chat_id: ChatId, snapshot: int) -> None:
    sys.stdout.write(f"{chat_id}\t{snapshot}\n")
    sys.stdout.flush()


async def main(where: str, round_: str) -> None:
    async with opened(where) as db, asyncio.TaskGroup() as group:
        store = Store(db, MemoryBus())

        async def forever(lane: int) -> None:
            for number in count():
                await keep_writing(store, ChatId(f"round {round_}, lane {lane}, chat {number}"))

        for lane in range(CHATS):
            group.create_task(forever(lane))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
