"""The one door, on both databases: all or nothing, versions, hints after the commit."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from chatd.domain.call import Effect
from chatd.domain.chat import Reason, Status
from chatd.domain.decision.change import Details
from chatd.domain.decision.fence import HeldBy
from chatd.domain.decision.projection import Counted, refused_percent
from chatd.domain.ids import CallId, ChatId, FileId, MessageId, UserId
from chatd.domain.message import Draft, Role, Usage
from chatd.domain.part import Text, ToolCall, ToolResult
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.messages.delete_queued import DeleteQueued
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.turn_end import TurnEnd
from chatd.errors import BadInput, KeyUsed, NotAllowed, NotFound, Stale, TooManyFiles
from chatd.hints.hint import ChatChanged, ChatDeleted, WorkWaiting, chat_changed
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Body, Connection, Database, Pace, Row, T
from chatd.storage.queries import SqlEngine
from chatd.storage.reads.read import (
    Keyed,
    read_chat,
    read_chat_of_key,
    read_everything,
    read_message_key,
    read_message_of_key,
)
from chatd.storage.tables import leases
from chatd.storage.tables.files import add_file, read_file
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.clock import MovedClock
from tests.storage.transactions.hearing import hearing
from tests.traceability import proves
from tests.words import (
    OWNER,
    answers,
    call,
    client_call,
    create,
    failure,
    lease,
    plan,
    said,
    says,
    send,
    step,
    user,
    words_of,
)

CHAT = ChatId("chat")


async def test_what_was_decided_is_what_is_stored(store: Store, database: Database) -> None:
    await create_chat(store, create(user("hello")))
    await transact(
        store, CHAT, step(says("let me", call("a", args={"x": [1]})), plans=(plan("a", Effect.READ),))
    )
    done = await transact(store, CHAT, send("later"))

    stored = await read_everything(database, CHAT)

    assert stored is not None
    assert stored.chat == done.chat
    assert stored.queue == done.locked.queue
    assert stored.calls == done.locked.calls
    assert [words_of(m) for m in stored.messages] == ["user: hello", "assistant: let me, calls a"]


class Asked:
    """A database that writes down which queries are asked."""

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self.asked: list[str] = []
        self._db = db

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        async def watched(tx: Connection) -> T:
            return await body(AskedConnection(tx, self.asked))

        return await self._db.write(watched, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


class AskedConnection:
    def __init__(self, tx: Connection, asked: list[str]) -> None:
        self._tx = tx
        self._asked = asked

    async def all(self, query: str, *args: object) -> Sequence[Row]:
        self._asked.append(query)
        return await self._tx.all(query, *args)

    async def one(self, query: str, *args: object) -> Row | None:
        self._asked.append(query)
        return await self._tx.one(query, *args)

    async def run(self, query: str, *args: object) -> None:
        self._asked.append(query)
        await self._tx.run(query, *args)

    async def run_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        self._asked.append(query)
        await self._tx.run_many(query, rows)

    async def script(self, sql: str) -> None:
        await self._tx.script(sql)


async def test_a_reply_that_ends_its_turn_is_written_once_with_how_it_ended(
    store: Store, database: Database
) -> None:
    await create_chat(store, create(user("hello")))
    asked = Asked(database)

    done = await transact(replace(store, db=asked), CHAT, step(says("hi")), FinishTurn())

    assert asked.asked == ["lock_chat", "insert_message", "save_chat"]
    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert stored.messages[-1] == done.appended[-1]
    assert stored.messages[-1].turn_end == TurnEnd(at=stored.chat.updated_at, reason=Reason.COMPLETE)


async def test_what_a_refused_prompt_has_told_is_stored_until_a_reply_tells_more(
    store: Store, database: Database
) -> None:
    async def refused(model: str = "opus") -> int:
        stored = await read_everything(database, CHAT)
        assert stored is not None
        return refused_percent(stored.chat.projection, model)

    await create_chat(store, create(user("hello")))
    await transact(store, CHAT, BeginAttempt(counted=Counted(model="opus", percent=333)))
    assert (await refused(), await refused("another model")) == (333, 0)

    # No message tells it, so an edit cannot work it out again.
    await transact(store, CHAT, EditMessage(message_id=MessageId(1), content=said("hello again")))
    await transact(store, CHAT, BeginAttempt(), step(says("I hear you.")))
    assert await refused() == 333
    await transact(store, CHAT, BeginAttempt(counted=Counted(model="opus", percent=200)))
    assert await refused() == 333

    await transact(store, CHAT, step(says("hi", usage=Usage(input_tokens=10))))
    assert await refused() == 0


async def test_a_chat_that_its_worker_knows_is_not_read_again(store: Store, database: Database) -> None:
    await create_chat(store, create(user("hello")))
    held = await transact(store, CHAT, Acquire(lease=lease()), BeginAttempt())
    asked = Asked(database)
    at = replace(store, db=asked)

    done = await transact(
        at, CHAT, step(says("I look.", call("c1"))), fence=HeldBy(lease=lease()), known=held.locked
    )
    answered = await transact(at, CHAT, step(answers("c1")), fence=HeldBy(lease=lease()), known=done.locked)
    assert not {"lock_chat", "open_calls"} & set(asked.asked)
    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert (stored.chat, stored.messages[-1]) == (answered.chat, answered.appended[-1])


async def test_a_chat_that_others_have_changed_is_not_taken_for_the_known_one(store: Store) -> None:
    await create_chat(store, create(user("hello")))
    held = await transact(store, CHAT, Acquire(lease=lease()), BeginAttempt())
    await transact(store, CHAT, send("and this", when=When.STEER))

    done = await transact(
        store,
        CHAT,
        step(says("I look.", call("c1"))),
        step(answers("c1")),
        fence=HeldBy(lease=lease()),
        known=held.locked,
    )
    assert [message.content for message in done.appended][-1] == said("and this")

    await transact(store, CHAT, Interrupt())
    with pytest.raises(Stale):
        await transact(
            store,
            CHAT,
            step(says("hi")),
            fence=HeldBy(lease=lease(), status=Status.RUNNING),
            known=done.locked,
        )


async def test_a_message_of_before_is_told_how_its_turn_ended(store: Store, database: Database) -> None:
    await create_chat(store, create(user("hello")))
    asked = Asked(database)

    await transact(replace(store, db=asked), CHAT, FailTurn(failure=failure()))

    assert asked.asked == ["lock_chat", "mark_turn_end", "save_chat"]
    stored = await read_everything(database, CHAT)
    assert stored is not None
    (message,) = stored.messages
    assert message.turn_end == TurnEnd(at=stored.chat.updated_at, error=failure())
    assert message.revision == stored.chat.versions.history == stored.chat.versions.snapshot


async def test_a_key_is_used_once_and_nothing_of_the_second_is_written(
    store: Store, database: Database, bus: MemoryBus
) -> None:
    begun = replace(create(user("hello")), key="mine", digest="a")
    await create_chat(store, begun)
    await transact(store, CHAT, send("later", key="first"))
    before = await read_everything(database, CHAT)

    with hearing(bus) as heard:
        with pytest.raises(KeyUsed):
            await create_chat(store, replace(begun, id=ChatId("another")))
        with pytest.raises(KeyUsed):
            await transact(store, CHAT, send("other words", key="first"))

    assert heard() == []
    assert await read_everything(database, CHAT) == before
    assert await read_chat(database, ChatId("another")) is None
    found = await read_chat_of_key(database, OWNER, "mine")
    assert found is not None
    assert (found[0], found[1].id) == ("a", CHAT)


async def test_a_key_stays_used_when_its_message_leaves_the_queue(store: Store, database: Database) -> None:
    await create_chat(store, create(user("hello")))
    sent = await transact(store, CHAT, send("later", key="first"))
    await transact(store, CHAT, DeleteQueued(queued_id=sent.enqueued[0].id))

    with pytest.raises(KeyUsed):
        await transact(store, CHAT, send("later", key="first"))
    assert await read_message_of_key(database, CHAT, "first") == Keyed(message=None, queued=None)
    used = await read_message_key(database, CHAT, "first")
    assert used is not None
    assert used.number == sent.enqueued[0].id


async def test_a_chat_can_be_created_with_what_follows_in_one_transaction(
    store: Store, database: Database, bus: MemoryBus
) -> None:
    with hearing(bus) as heard:
        done = await create_chat(store, create(user("hello"), says("hi", call("a"))), FinishTurn())

    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert stored.chat == done.chat
    assert (done.chat.status, done.chat.versions.snapshot, done.chat.open_calls) == (Status.WAITING, 1, 0)
    assert [words_of(m) for m in done.appended] == [
        "user: hello",
        "assistant: hi, calls a",
        "tool: a failed",
    ]
    assert heard() == [chat_changed(done.chat)]


async def test_if_what_follows_is_refused_there_is_no_chat(
    store: Store, database: Database, bus: MemoryBus
) -> None:
    with hearing(bus) as heard, pytest.raises(NotAllowed):
        await create_chat(store, create(user("hello")), FinishTurn(), FinishTurn())

    assert (await read_chat(database, CHAT), heard()) == (None, [])


@proves("state-machine", 1)
async def test_a_chat_that_is_not_there_is_not_found_and_no_hint_is_sent(
    store: Store, bus: MemoryBus
) -> None:
    with hearing(bus) as heard, pytest.raises(NotFound, match="There is no chat nobody"):
        await transact(store, ChatId("nobody"), send("hello?"))

    assert heard() == []


async def test_one_hint_follows_each_commit_and_tells_where_the_chat_is(store: Store, bus: MemoryBus) -> None:
    with hearing(bus) as heard:
        created = await create_chat(store, create())
        assert heard() == [chat_changed(created.chat), WorkWaiting(chat_id=CHAT, snapshot=1)]

        done = await transact(store, CHAT, step(says("hi")), FinishTurn())
        assert heard() == [chat_changed(done.chat)]


@proves("state-machine", 61)
async def test_a_refused_transaction_leaves_nothing_behind_and_sends_no_hint(
    store: Store, database: Database, bus: MemoryBus
) -> None:
    await create_chat(store, create())
    before = await read_everything(database, CHAT)

    with hearing(bus) as heard, pytest.raises(NotAllowed):
        await transact(store, CHAT, step(says("hi")), FinishTurn(), Interrupt())

    assert await read_everything(database, CHAT) == before
    assert heard() == []


@proves("state-machine", 61)
async def test_a_body_that_fails_undoes_what_it_wrote(store: Store, database: Database) -> None:
    await create_chat(store, create())

    async def body(tx: Connection) -> None:
        await tx.run("delete_chat", CHAT)
        raise RuntimeError("the lights went out")

    with pytest.raises(RuntimeError, match="lights"):
        await database.write(body)

    assert await read_chat(database, CHAT) is not None


@proves("state-machine", 60)
async def test_several_commands_are_one_snapshot_and_one_hint(store: Store, bus: MemoryBus) -> None:
    await create_chat(store, create())

    with hearing(bus) as heard:
        done = await transact(store, CHAT, step(says("hi")), FinishTurn(), send("more"))

    assert done.chat.versions.snapshot == 2
    assert [words_of(m) for m in done.appended] == ["assistant: hi", "user: more"]
    assert [type(hint) for hint in heard()] == [ChatChanged, WorkWaiting]


@proves("state-machine", 62)
async def test_a_chat_whose_worker_has_gone_quiet_calls_for_another(
    store: Store, database: Database, bus: MemoryBus, clock: MovedClock
) -> None:
    await create_chat(store, create())
    await leases.beat(database, lease().worker_id)
    await transact(store, CHAT, Acquire(lease=lease()))

    with hearing(bus) as heard:
        await clock.advance(9)
        await transact(store, CHAT, send("still there?"))
        assert [hint for hint in heard() if isinstance(hint, WorkWaiting)] == []

        await clock.advance(2)
        await transact(store, CHAT, send("hello?"))
        assert [hint for hint in heard() if isinstance(hint, WorkWaiting)] != []


async def test_a_worker_that_lost_its_chat_cannot_write(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, Acquire(lease=lease("old")))
    await transact(store, CHAT, Acquire(lease=lease("new")))
    before = await read_everything(database, CHAT)

    with pytest.raises(Stale):
        await transact(store, CHAT, step(says("late")), fence=HeldBy(lease=lease("old")))

    assert await read_everything(database, CHAT) == before


@proves("state-machine", 35)
async def test_of_many_submissions_exactly_one_counts(store: Store) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, step(says("look", client_call("tab"))), RequireAction())
    submission = SubmitActions(actions=(Result(call_id=CallId("tab"), output=1),))

    outcomes = await asyncio.gather(
        *[transact(store, CHAT, submission) for _ in range(10)], return_exceptions=True
    )

    refused = [outcome for outcome in outcomes if isinstance(outcome, NotAllowed)]
    assert len(refused) == 9
    assert all("the chat is running" in refusal.message for refusal in refused)


async def test_concurrent_transactions_get_snapshots_of_their_own(store: Store, database: Database) -> None:
    await create_chat(store, create())

    dones = await asyncio.gather(*[transact(store, CHAT, send(f"message {n}")) for n in range(15)])

    assert sorted(done.chat.versions.snapshot for done in dones) == list(range(2, 17))
    chat = await read_chat(database, CHAT)
    assert chat is not None
    assert (chat.versions.snapshot, chat.queued) == (16, 15)


@proves("state-machine", 63)
async def test_a_writer_waits_for_the_one_before_it_and_readers_do_not_wait(
    store: Store, database: Database
) -> None:
    created = await create_chat(store, create())
    async with asyncio.TaskGroup() as group, lock_held(database) as holding:
        writing = group.create_task(transact(store, CHAT, send("a")))
        # Several, so that the writer had its chance too.
        for _ in range(5):
            assert await read_chat(database, CHAT) == created.chat
        assert not holding.done()
        assert not writing.done()

    assert await read_chat(database, CHAT) == writing.result().chat
    assert writing.result().chat.versions.snapshot == 2


@asynccontextmanager
async def lock_held(database: Database) -> AsyncIterator["asyncio.Task[None]"]:
    """Inside the block a transaction has the chat's row, and does not let it go."""
    loop, held, let_go = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    async def body(tx: Connection) -> None:
        await tx.one("lock_chat", CHAT)
        loop.call_soon_threadsafe(held.set)
        if database.engine is SqlEngine.SQLITE:
            let_go.wait()  # The writer's own thread: nobody else is held up.
        else:
            await asyncio.to_thread(let_go.wait)

    holding = asyncio.create_task(database.write(body))
    await held.wait()
    try:
        yield holding
    finally:
        let_go.set()
        await holding


async def test_reading_moves_no_version(store: Store, database: Database) -> None:
    done = await create_chat(store, create())

    await read_everything(database, CHAT)

    assert await read_chat(database, CHAT) == done.chat


@proves("state-machine", 66)
@pytest.mark.parametrize("text", ["a\0b", "\ue000 \ue001", "\ud800 lone", "\udfff\ud800", "😀 é 世界", ""])
async def test_any_text_comes_back_as_it_was(store: Store, database: Database, text: str) -> None:
    parts = (
        Text(text=text),
        ToolCall(tool_call_id=CallId(text or "x"), tool_name=text or "x", args={text: [text]}),
    )
    await create_chat(store, create(user(text)))
    await transact(store, CHAT, step(Draft(role=Role.ASSISTANT, content=parts, internal={"thought": text})))
    await transact(store, CHAT, send(text))

    stored = await read_everything(database, CHAT)

    assert stored is not None
    assert stored.messages[0].content == said(text)
    assert stored.messages[1].content == parts
    assert stored.messages[1].internal == {"thought": text}
    assert stored.queue[0].content == said(text)
    assert (stored.calls[0].id, stored.calls[0].tool) == (text or "x", text or "x")


async def test_every_field_of_a_message_comes_back(store: Store, database: Database) -> None:
    usage = Usage(input_tokens=5, output_tokens=6, context_limit=7)
    reply = replace(says("hi", usage=usage), model="m", runtime_ms=12, advisor_uses=1, internal=[1, None])
    await create_chat(store, create())
    (message,) = (await transact(store, CHAT, step(reply))).appended

    stored = await read_everything(database, CHAT)

    assert stored is not None
    assert stored.messages[-1] == message
    assert message.usage == usage


async def test_labels_and_title_are_stored(store: Store, database: Database) -> None:
    await create_chat(store, create())

    await transact(store, CHAT, DescribeChat(details=Details(title="Plans", labels={"team": "a"})))
    await transact(store, CHAT, DescribeChat(details=Details(labels={"team": "b", "env": "prod"})))

    chat = await read_chat(database, CHAT)
    assert chat is not None
    assert (chat.title, chat.labels) == ("Plans", {"team": "b", "env": "prod"})


@proves("state-machine", 64, 65)
async def test_files_are_linked_with_the_message_or_not_at_all(store: Store, database: Database) -> None:
    for n in range(51):
        await add_file(
            database, file_id=FileId(f"f{n}"), owner_id=OWNER, name="a", media_type="text/plain", data=b"a"
        )
    await create_chat(store, create(*[user("see", file=f"f{n}") for n in range(50)]))

    with pytest.raises(TooManyFiles):
        await transact(store, CHAT, SendMessage(message=user("one more", file="f50"), when=When.QUEUE))
    with pytest.raises(BadInput, match="There is no file"):
        await transact(
            store, CHAT, EditMessage(message_id=MessageId(1), content=user("x", file="gone").content)
        )
    await transact(store, CHAT, SendMessage(message=user("again", file="f0"), when=When.QUEUE))

    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert len(stored.files) == 50
    assert stored.chat.queued == 1


async def test_the_file_of_another_user_is_not_there(store: Store, database: Database) -> None:
    await database.write(lambda tx: tx.run("insert_user", "other", "other", "member"))
    await add_file(
        database,
        file_id=FileId("theirs"),
        owner_id=UserId("other"),
        name="a",
        media_type="text/plain",
        data=b"a",
    )

    with pytest.raises(BadInput, match="There is no file 'theirs'"):
        await create_chat(store, create(user("see", file="theirs")))


async def test_a_deleted_chat_is_gone_with_its_children_and_the_files_that_only_they_had(
    store: Store, database: Database, bus: MemoryBus
) -> None:
    for name in ("own", "shared", "kid"):
        await add_file(
            database, file_id=FileId(name), owner_id=OWNER, name=name, media_type="text/plain", data=b"a"
        )
    await create_chat(store, create(user("see", file="own"), user("see", file="shared")))
    await create_chat(store, create(user("see", file="kid"), chat_id="child", parent="chat"))
    await create_chat(store, create(user("see", file="shared"), chat_id="another"))

    with hearing(bus) as heard:
        await delete_chat(store, CHAT)
        assert heard() == [ChatDeleted(chat_id=member, owner_id=OWNER) for member in (CHAT, ChatId("child"))]

    assert await read_everything(database, CHAT) is None
    assert await read_chat(database, ChatId("child")) is None
    assert await read_chat(database, ChatId("another")) is not None
    assert await read_file(database, FileId("own")) is None
    assert await read_file(database, FileId("kid")) is None
    assert await read_file(database, FileId("shared")) is not None
    with pytest.raises(NotFound):
        await delete_chat(store, CHAT)


async def test_a_result_part_is_stored_as_given(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, step(says("x", call("a"))))
    result = ToolResult(tool_call_id=CallId("a"), tool_name="read_file", result={"n": [1, 2.5, None, True]})

    await transact(store, CHAT, step(Draft(role=Role.TOOL, content=(result,))))

    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert stored.messages[-1].content == (result,)
    assert stored.chat.status is Status.RUNNING
