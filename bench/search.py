"""Search: a page of chats by their words among a million messages, against the bare index.

    python -m bench.search [--messages N] [--rounds N] [--sqlite | --postgres]

The messages belong to two users, one with nine of ten, in chats of two hundred messages of twenty words each.
Words are drawn as in a language: few are common and most are rare. Rows are inserted in bulk, with the words
of the index as `storage/tables/search.py` writes them.

The floor is the same match on the same index, with the rows of the messages it finds read and nothing else:
neither rights, filters and one hit for each chat, nor chats and snippets. Both alternate; the median counts.

| Case | How many messages have it |
|---|---|
| a rare word | about twenty |
| two words | about a hundred |
| a common word | about half |
| of the other user | a common word, of which nine of ten are not theirs |
| nothing | none |

Goals: at most 10 x the bare index, and at most 50 ms for a page of 20 chats.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from itertools import accumulate, cycle
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg
import uvloop

from bench._server import verdict
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.message import Draft, Message, Role
from chatd.domain.part import Text
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.kit.words import terms_of, words_of
from chatd.storage.database import Connection, Database
from chatd.storage.migrate import migrate
from chatd.storage.postgres.database import open_postgres
from chatd.storage.rows import message_values
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.tables.search import Filter, document_id, find_chats, match_of, owner_word
from chatd.storage.transactions.transact import Store, create_chat
from tools.postgres import throwaway_postgres

GOAL_RATIO, GOAL_MS = 10.0, 50.0
MANY, FEW = UserId("many"), UserId("few")
MESSAGES_PER_CHAT = 200
WORDS_PER_MESSAGE = 20
CHATS_AT_ONCE = 50
# Drawn once and said again and again: drawing them would take longer than everything else.
TEXTS = 50_000
PAGE = 20
VOCABULARY = 100_000
START_MICROS = 1_700_000_000_000_000

CASES = {
    "a rare word": (MANY, "w90000"),
    "two words": (MANY, "w50 w60"),
    "a common word": (MANY, "w0"),
    "of the other user": (FEW, "w0"),
    "nothing": (MANY, "absent"),
}


def texts() -> list[tuple[str, str]]:
    """Twenty words each, with the words of the index; the word n is about n times rarer than the first."""
    chance = random.Random(10)
    numbers = range(VOCABULARY)
    weights = list(accumulate(1 / (n + 10) for n in numbers))
    drawn = chance.choices(numbers, cum_weights=weights, k=WORDS_PER_MESSAGE * TEXTS)
    said = [
        " ".join(f"w{n}" for n in drawn[at : at + WORDS_PER_MESSAGE])
        for at in range(0, len(drawn), WORDS_PER_MESSAGE)
    ]
    return [(text, " ".join(words_of(text))) for text in said]


async def fill(db: Database, messages: int) -> None:
    for user in (MANY, FEW):
        await db.write(lambda tx, user=user: tx.run("insert_user", user, user, "member"))  # type: ignore[misc]
    store = Store(db, MemoryBus())
    source = cycle(texts())
    count = messages // MESSAGES_PER_CHAT
    for start in range(0, count, CHATS_AT_ONCE):
        numbers = range(start, min(start + CHATS_AT_ONCE, count))
        chats = [(ChatId(f"chat-{n:07}"), FEW if n % 10 == 0 else MANY) for n in numbers]
        for chat_id, owner in chats:
            await create_chat(
                store,
                CreateChat(
                    id=chat_id,
                    owner_id=owner,
                    messages=(Draft(role=Role.USER, content=(Text(text="first"),)),),
                    title=f"chat {chat_id}",
                ),
                FinishTurn(),
            )
        await db.write(lambda tx, chats=chats: fill_chats(tx, chats, source))  # type: ignore[misc]


async def fill_postgres(db: Database, url: str, messages: int) -> None:
    """The index at the end, which is quicker; and statistics, as autovacuum makes them after a while."""
    connection = await asyncpg.connect(url)
    made = await connection.fetchval(
        "SELECT indexdef FROM pg_indexes WHERE indexname = 'search_words_by_word'"
    )
    await connection.execute("DROP INDEX search_words_by_word")
    await fill(db, messages)
    await connection.execute(made)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


async def fill_chats(
    tx: Connection, chats: list[tuple[ChatId, UserId]], source: Iterator[tuple[str, str]]
) -> None:
    messages, documents, words = [], [], []
    for chat_id, owner in chats:
        await tx.run("begin_search", chat_id)
        for number in range(2, MESSAGES_PER_CHAT + 2):
            text, indexed = next(source)
            at = Micros(START_MICROS + (int(chat_id[5:]) * MESSAGES_PER_CHAT + number) * 1_000_000)
            id_ = document_id(chat_id, number, at)
            messages.append(message_values(chat_id, a_message(number, text, at)))
            documents.append((id_, chat_id, number))
            words.append((id_, chat_id, number, owner, f"{owner_word(owner)} {indexed}"))
    await tx.run_many("insert_message", messages)
    await tx.run_many("insert_document", documents)
    await tx.run_many("insert_words", words)


def a_message(number: int, text: str, at: Micros) -> Message:
    return Message(
        role=Role.USER,
        content=(Text(text=text),),
        id=number,  # type: ignore[arg-type]  # a number of ours
        revision=2,
        branch=1,  # type: ignore[arg-type]  # as above
        created_at=at,
        tokens=40,
    )


async def bare(db: Database, owner: UserId, query: str) -> int:
    """The match, and the rows that it finds."""
    match = match_of(db.engine, (owner,), terms_of(query))

    async def body(tx: Connection) -> int:
        await tx.one("plan_for_these_words")
        found = await tx.all("find_documents", owner, match, 2**63 - 1, PAGE)
        for _, chat_id, number in found:
            await tx.all("messages_after", chat_id, number - 1, 1)
        return len(found)

    return await db.read(body)


async def ours(db: Database, owner: UserId, query: str) -> int:
    page = await find_chats(db, Filter(owner_id=owner), terms_of(query), limit=PAGE)
    return len(page.found)


async def timed(deed: Callable[[], Awaitable[Any]]) -> float:
    began = time.perf_counter()
    await deed()
    return (time.perf_counter() - began) * 1e3


async def compare(db: Database, rounds: int) -> None:
    for name, (owner, query) in CASES.items():
        floor, found = [], []
        for _ in range(rounds + 1):
            floor.append(await timed(lambda: bare(db, owner, query)))  # noqa: B023 - awaited here
            found.append(await timed(lambda: ours(db, owner, query)))  # noqa: B023 - as above
        low, high = median(floor[1:]), median(found[1:])
        count = await ours(db, owner, query)
        print(
            f"  {name:18} bare {low:7.2f} ms, chatd {high:7.2f} ms, {count:2} chats: {high / low:4.1f} x "
            f"(goal {GOAL_RATIO:g}: {verdict(high / low, GOAL_RATIO)}; "
            f"{GOAL_MS:g} ms: {verdict(high, GOAL_MS)})",
            flush=True,
        )


async def run(options: argparse.Namespace) -> None:
    url = ""
    for kind in [kind for kind in ("sqlite", "postgres") if options.only in (None, kind)]:
        async with AsyncExitStack() as opened:
            stack = opened.enter_context(ExitStack())
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chatd-bench-")))
            if kind == "postgres":
                url = stack.enter_context(throwaway_postgres())
                db = await opened.enter_async_context(open_postgres(url))
            else:
                db = await opened.enter_async_context(
                    open_sqlite(folder / "chatd.db", now_micros=SystemClock().now_micros)
                )
            await migrate(db)
            began = time.perf_counter()
            if kind == "postgres":
                await fill_postgres(db, url, options.messages)
            else:
                await fill(db, options.messages)
            print(f"\n{kind}: {options.messages} messages in {time.perf_counter() - began:.0f} s", flush=True)
            await compare(db, options.rounds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sqlite", dest="only", action="store_const", const="sqlite")
    parser.add_argument("--postgres", dest="only", action="store_const", const="postgres")
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
