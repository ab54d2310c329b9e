"""Who drives a chat, and what happens when somebody or something gets in the way."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Sequence

import structlog
from msgspec.structs import replace
from structlog.testing import capture_logs

from chatd.agent.services import AgentServices
from chatd.domain.call import CallState
from chatd.domain.chat import Status
from chatd.domain.ids import SECOND, CallId, ChatId, MessageId, UserId, WorkerId
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.hints.hint import Hint, WorkWaiting, chat_changed
from chatd.kit.clock import Clock
from chatd.providers.events import StreamEvent
from chatd.providers.model import Model, Request
from chatd.providers.scripted.model import FIRST_SECONDS, SILENCE_SECONDS, ScriptedModel
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.queries import SqlEngine
from chatd.storage.tables import leases
from chatd.storage.transactions.load import look
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.worker.worker import LOOK_SECONDS, TAKEN_AT_ONCE_MAX, Worker
from tests.support.counted import counting
from tests.support.scripted_only import ScriptedOnly
from tests.traceability import proves
from tests.words import CLIENT_TOOL, create, lease, said, user, words_of
from tests.worker.worlds.absence import Counting
from tests.worker.worlds.world import CHAT, World, tell

SLOW = "stream 1000 words at 10 per second"


@proves("worker", 5)
def test_chats_that_rest_have_failed_or_are_archived_are_left_alone() -> None:
    async def story(world: World) -> None:
        await world.start("say Hi.", ChatId("rests"))
        await world.start("fail auth", ChatId("failed"))
        await world.start("say Hi.", ChatId("archived"))
        await world.until_idle(ChatId("rests"))
        await world.until_idle(ChatId("archived"))
        await world.until(lambda chat: chat.status is Status.ERROR, ChatId("failed"))
        for name in ("rests", "failed", "archived"):
            await world.until(lambda chat: chat.lease is None, ChatId(name))
        await world.tell(Archive(), chat_id=ChatId("archived"))
        before = [(await world.stored(ChatId(n))).chat for n in ("rests", "failed", "archived")]

        await world.clock.sleep(60)

        assert [(await world.stored(ChatId(n))).chat for n in ("rests", "failed", "archived")] == before

    tell(story)


@proves("worker", 19)
def test_an_edit_in_the_middle_of_a_reply_starts_the_agent_anew() -> None:
    async def story(world: World) -> None:
        await world.start(SLOW)
        await world.until_said(" ")
        await world.tell(EditMessage(message_id=MessageId(1), content=said("say Instead.")))
        await world.until_idle()

        assert await world.transcript() == ["user: say Instead.", "assistant: Instead."]

    tell(story)


@proves("worker", 21)
def test_a_runner_whose_chat_was_taken_over_stops_and_writes_nothing_more() -> None:
    async def story(world: World) -> None:
        await world.start(SLOW)
        await world.until_said(" ")
        await leases.beat(world.db, WorkerId("thief"))
        done = await world.tell(Acquire(lease=lease("thief")))
        await world.clock.sleep(5)

        assert (await world.stored()).chat == done.chat

    tell(story)


class DeafWorld(World):
    """A world in which no hint ever arrives."""

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]  # as World
        self.bus.publish = self._lost  # type: ignore[method-assign]

    def _lost(self, hint: Hint) -> None:
        pass


@proves("worker", 23)
def test_without_a_single_hint_everything_happens_a_little_later() -> None:
    async def story(world: World) -> None:
        await world.start(SLOW)
        await world.until_said(" ")
        await world.tell(Interrupt())
        await world.until_idle()
        assert world.clock.now_micros() < 1_800_000_060 * 1_000_000

    tell(story, make=DeafWorld)


@proves("worker", 18)
def test_hints_that_say_nothing_new_start_nothing_new() -> None:
    async def story(world: World) -> None:
        done = await world.start(SLOW)
        await world.until_said(" ")
        for _ in range(5):
            world.bus.publish(chat_changed(done.chat))
            await world.clock.sleep(0.1)

        assert (await world.stored()).chat.versions.attempt == 1

    tell(story)


@proves("worker", 31)
def test_a_turn_that_is_stopped_before_a_word_was_said_has_taken_no_time() -> None:
    async def story(world: World) -> None:
        await world.start("wait 60\nsay Never.")
        await world.until(lambda chat: chat.versions.attempt == 1)
        await world.clock.sleep(3)
        await world.tell(Interrupt())
        await world.until_idle()

        messages = (await world.stored()).messages
        assert [message.runtime_ms for message in messages] == [None] * len(messages)

    tell(story)


@proves("worker", 33)
def test_a_call_that_was_never_run_is_answered_when_the_user_says_stop() -> None:
    async def story(world: World) -> None:
        await world.start('call @a wait {"seconds": 600}')
        await world.until(lambda chat: chat.open_calls == 1)
        await world.send("say Next.")
        await world.tell(Interrupt())
        await world.until_idle()

        assert (await world.transcript())[-3:] == ["tool: a failed", "user: say Next.", "assistant: Next."]

    tell(story)


@proves("worker", 35, 36)
def test_results_that_come_in_time_are_used_and_the_deadline_is_forgotten() -> None:
    async def story(world: World) -> None:
        await world.start(f"call @t {CLIENT_TOOL} {{}}\nnext\nsay Done.")
        await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        await world.clock.sleep(299)
        await world.tell(SubmitActions(actions=(Result(call_id=CallId("t"), output=1),)))
        await world.until_idle()
        await world.clock.sleep(60)

        assert (await world.transcript())[-2:] == ["tool: t answered", "assistant: Done."]

    tell(story)


@proves("worker", 43)
def test_our_tools_run_first_then_the_client_is_asked_then_the_model_once_more() -> None:
    async def story(world: World) -> None:
        await world.start(f'call @a echo {{"text": "x"}}\ncall @t {CLIENT_TOOL} {{}}\nnext\nsay Done.')
        await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        assert (await world.transcript())[-1] == "tool: a answered"
        await world.tell(SubmitActions(actions=(Result(call_id=CallId("t"), output=1),)))
        await world.until_idle()

        assert (await world.transcript())[-2:] == ["tool: t answered", "assistant: Done."]

    tell(story)


@proves("worker", 44)
def test_a_call_that_must_be_alone_makes_the_whole_reply_void() -> None:
    async def story(world: World) -> None:
        await world.start(f"call @a alone\ncall @t {CLIENT_TOOL} {{}}\nnext\nsay Sorry.")
        await world.until_idle()

        assert (await world.transcript())[-3:] == ["tool: a failed", "tool: t failed", "assistant: Sorry."]
        assert world.witness.lines == []

    tell(story)


@proves("worker", 45)
def test_a_tool_that_ends_the_turn_has_the_last_word() -> None:
    async def story(world: World) -> None:
        await world.start("call @p plan_done\nnext\nsay never")
        await world.until_idle()

        assert (await world.transcript())[-1] == "tool: p answered"

    tell(story)


@proves("loop", 33)
@proves("worker", 46)
def test_a_summary_that_was_asked_for_is_made_and_the_agent_rests() -> None:
    async def story(world: World) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.tell(RequestCompaction())
        await world.until(lambda chat: chat.projection.boundary > 0)
        chat = await world.until_idle()

        assert chat.compaction_requested_at is None
        await world.send("say Two.")
        await world.until_idle()
        assert (await world.transcript())[-1] == "assistant: Two."

    tell(story)


def test_a_stop_while_a_summary_is_made_leaves_no_trace_of_it() -> None:
    async def story(world: World) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.tell(RequestCompaction())
        await world.until(lambda chat: chat.versions.attempt == 1)
        await world.clock.sleep(0.1)
        await world.tell(Interrupt())
        chat = await world.until_idle()

        assert await world.transcript() == ["user: say One.", "assistant: One."]
        assert chat.projection.boundary == 0

    tell(story)


@proves("worker", 25)
def test_a_duty_that_keeps_breaking_ends_the_turn_with_an_apology() -> None:
    async def story(world: World) -> None:
        world.models.find = _broken  # type: ignore[assignment,method-assign]  # a bug of ours, on purpose
        await world.start("say Hi.")
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert "kept failing" in chat.last_error.message
        # Its name only: what it says may be a row or a key.
        assert "RuntimeError" in chat.last_error.message
        assert "no idea" not in chat.last_error.message

    tell(story)


def test_a_chat_with_a_message_that_cannot_be_read_says_so_when_its_turn_ends() -> None:
    async def story(world: World) -> None:
        await create_chat(world.silent_store, create(user("say Hi.")))
        await world.db.write(lambda tx: tx.script("UPDATE messages SET content = '[{\"type\": 3}]';"))
        async with asyncio.timeout(600):
            while (status := await _status(world)) is not Status.ERROR:
                assert status is Status.RUNNING
                await world.clock.sleep(1)
        locked = await look(world.db, CHAT)

        assert locked is not None
        assert locked.chat.last_error is not None
        assert "stored of this chat cannot be read" in locked.chat.last_error.message

    tell(story)


async def _status(world: World) -> Status | None:
    locked = await look(world.db, CHAT)
    return locked.chat.status if locked is not None else None


def test_a_chat_that_is_taken_while_several_tools_run_is_no_mistake_of_ours() -> None:
    async def story(world: World) -> None:
        wait = 'call @{} wait {{"seconds": 5}}'
        await world.start("\n".join(wait.format(name) for name in "abc"))
        await world.until(lambda chat: chat.open_calls == 3)
        await leases.beat(world.db, WorkerId("thief"))
        await transact(world.silent_store, CHAT, Acquire(lease=lease("thief")))
        await world.clock.sleep(8)

    structlog.reset_defaults()
    with capture_logs() as lines:
        tell(story)
    assert [line["event"] for line in lines if line["log_level"] in ("error", "warning")] == []


@proves("loop", 7)
@proves("worker", 24)
def test_a_model_that_falls_silent_is_given_up_and_tried_again() -> None:
    async def story(world: World) -> None:
        await world.start("say Hello\nwait 3000\nsay again")
        chat = await world.until(lambda chat: chat.retry_state is not None)

        assert chat.retry_state is not None
        assert chat.retry_state.kind == "stream_silence_timeout"
        assert world.clock.now_micros() >= (1_800_000_000 + SILENCE_SECONDS) * 1_000_000

    tell(story)


@proves("loop", 7)
def test_a_model_that_never_says_a_word_is_given_up_sooner() -> None:
    async def story(world: World) -> None:
        await world.start("wait 3000\nsay late")
        await world.until(lambda chat: chat.versions.attempt == 2)

        waited = world.clock.now_micros() / 1_000_000 - 1_800_000_000
        assert FIRST_SECONDS <= waited < FIRST_SECONDS + 3

    tell(story)


class FailingDatabase:
    """Fails as many writes as it is told to."""

    engine = SqlEngine.SQLITE

    def __init__(self, inner: World) -> None:
        self._db = inner.db
        self.failures = 0
        self.error: Exception = sqlite3.OperationalError("the disk is full")

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if self.failures > 0:
            self.failures -= 1
            raise self.error
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


class FlakyWorld(World):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.flaky = FailingDatabase(self)
        self.model = Counting(self.clock)
        self.models = ScriptedOnly(self.model)

    def store_of_workers(self) -> Store:
        return Store(self.flaky, self.bus)


def test_a_commit_that_fails_is_tried_again_without_asking_the_model_again() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, FlakyWorld)
        await world.start("stream 20 words at 10 per second\nsay Done.")
        await world.until_said(" ")
        world.flaky.failures = 3
        final = await world.until_idle()

        assert world.flaky.failures == 0
        assert (world.model.calls, final.projection.steps) == (1, 1)

    tell(story, make=FlakyWorld)


@proves("worker", 51)
def test_a_mistake_of_ours_while_a_step_is_saved_has_the_model_asked_again_and_the_turn_ends_well() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, FlakyWorld)
        await world.start("stream 20 words at 10 per second\nsay Done.")
        await world.until_said(" ")
        world.flaky.error, world.flaky.failures = AssertionError("a rule does not hold"), 1
        final = await world.until_idle()

        assert world.flaky.failures == 0
        assert (world.model.calls, final.projection.steps) == (2, 1)

    tell(story, make=FlakyWorld)


@proves("worker", 2, 50)
def test_a_chat_whose_worker_died_is_taken_over_after_its_lease() -> None:
    async def story(world: World) -> None:
        await leases.beat(world.db, WorkerId("dead"))
        await create_chat(world.silent_store, create(user("say Back.")))
        await transact(world.silent_store, CHAT, Acquire(lease=lease("dead")))
        with counting() as found:
            await world.until_idle()

        assert found['chatd_takeovers_total{worker="quiet"}'] == 1
        assert 10 <= found["chatd_takeover_seconds_sum"] < 15
        assert 10 <= world.clock.now_micros() / 1_000_000 - 1_800_000_000 < 15

    tell(story)


@proves("worker", 49, 17)
def test_a_stop_in_the_middle_of_a_reply_is_no_error_and_leaves_no_lease() -> None:
    async def story(world: World) -> None:
        await world.start(SLOW)
        await world.until_said(" ")
        world.stop.set()
        await world.clock.sleep(10)

        stored = await world.stored()
        assert (stored.chat.status, stored.chat.last_error) == (Status.RUNNING, None)
        assert await leases.chats_without_worker(world.db, limit=5) == [CHAT]
        assert all(call.state is not CallState.STARTED for call in stored.calls)

    tell(story)


def test_a_worker_that_stops_tells_the_others_which_chats_have_none_now() -> None:
    async def story(world: World) -> None:
        await world.start(SLOW)
        await world.until_said(" ")
        with world.bus.listening() as others:
            world.stop.set()
            await world.clock.sleep(10)
            assert [hint.chat_id for hint in others.take() if isinstance(hint, WorkWaiting)] == [CHAT]

    tell(story)


class Leaving(World):
    """Has something to do before its chats are given away, and fails in it."""

    found: list[ChatId] | None = None

    def worker(self) -> Worker:
        return Worker(self.services(), self.bus, before_hand_over=self.look_and_fail)

    async def look_and_fail(self) -> None:
        self.found = await leases.chats_without_worker(self.db, limit=5)
        raise OSError("the disk is gone")


def test_what_the_next_worker_should_find_is_left_before_it_can_look() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, Leaving)
        await world.start(SLOW)
        await world.until_said(" ")
        world.stop.set()
        await world.clock.sleep(10)

        assert world.found == []
        assert await leases.chats_without_worker(world.db, limit=5) == [CHAT]

    tell(story, make=Leaving)


def _broken(name: str | None, _: UserId) -> None:
    raise RuntimeError(f"no idea what {name} is")


class Attentive(ScriptedModel):
    """Remembers what it was asked."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.asked: list[list[str]] = []

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self.asked.append([words_of(message) for message in request.messages])
        async for events in super().stream(request):
            yield events


def test_an_edit_that_is_stopped_at_once_is_not_missing_from_the_next_prompt() -> None:
    async def story(world: World) -> None:
        model = Attentive(world.clock)
        world.models = ScriptedOnly(model)
        await world.start("say One.")
        await world.until_idle()
        await world.send(SLOW)
        await world.until_said(" ")
        # Both before the runner looks: it learns of the stop, and never worked on the edit.
        await world.tell(EditMessage(message_id=MessageId(1), content=said("say Edited.")))
        await world.tell(Interrupt())
        await world.until_idle()
        await world.send("say Last.")
        await world.until_idle()

        assert model.asked[-1] == ["user: say Edited.", "user: say Last."]

    tell(story, make=LateWorld)


class LateWorld(World):
    """A world whose models can be exchanged after it was made."""

    def services(self) -> AgentServices:
        return replace(super().services(), models=self)

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        return await self.models.find(name, owner_id)


def test_many_chats_that_begin_at_once_do_not_wait_for_one_another() -> None:
    async def story(world: World) -> None:
        chats = [ChatId(f"chat {n}") for n in range(3 * TAKEN_AT_ONCE_MAX)]
        began = world.clock.now_micros()
        await asyncio.gather(*(world.start("wait 60", chat_id) for chat_id in chats))
        for chat_id in chats:
            await world.until(lambda chat: chat.lease is not None, chat_id)

        assert (world.clock.now_micros() - began) / SECOND < LOOK_SECONDS

    tell(story, slots=100)
