"""Providers that never answer: who waits for them, who does not, when it ends, and what people see of it."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from chatd.agent.generation.retry import UNANSWERED_SECONDS_MAX
from chatd.agent.services import AgentServices
from chatd.domain.chat import Status
from chatd.domain.ids import SECOND, ChatId, UserId
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.waits import SHOWN_AFTER_SECONDS, HeldUp
from chatd.live.events import HeldUpChanged
from chatd.live.watch import watch
from chatd.providers.model import Model
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.migrate import migrate
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import create_chat
from tests.support.virtual import VirtualClock, run_virtually
from tests.words import OWNER, create, user
from tests.worker.worlds.world import CHAT, World, tell

SILENT, HEALTHY = "silent/model", "healthy/model"
NEVER = "wait 3600"
MINUTE = 60
# Longer than any pause between two tries, and less than the silence of one.
A_PAUSE = 2 * MINUTE


class TwoProviders(World):
    """A world with a provider that may be silent, and another one."""

    def services(self) -> AgentServices:
        return replace(super().services(), models=self)

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        model = ScriptedModel(self.clock)
        model.name = name or HEALTHY
        model.provider = model.provider_id = model.name.partition("/")[0]
        # As one that may think before its first byte.
        model.first_seconds = 5 * MINUTE
        return model

    async def ask(self, words: str, model: str, chat_id: ChatId = CHAT) -> None:
        await create_chat(self.store, create(replace(user(words), model=model), chat_id=chat_id))


def test_chats_that_wait_for_a_silent_provider_do_not_hold_up_others() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, TwoProviders)
        for n in range(30):
            await world.ask(NEVER, SILENT, ChatId(f"silent {n}"))
        await world.clock.sleep(10)
        before = world.clock.now_micros()
        await world.ask("say Hi.", HEALTHY)
        await world.until_idle()

        assert world.clock.now_micros() - before < SECOND
        world.stop.set()

    tell(story, make=TwoProviders, slots=8)


def test_no_more_chats_wait_for_one_provider_than_there_are_slots() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, TwoProviders)
        for n in range(30):
            await world.ask(NEVER, SILENT, ChatId(f"silent {n}"))
        await world.clock.sleep(10)

        assert world.slots.asking("silent").free >= 0
        assert world.slots.work.free == 8
        world.stop.set()

    tell(story, make=TwoProviders, slots=8)


def test_a_provider_that_never_answers_is_given_up_after_a_quarter_of_an_hour() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, TwoProviders)
        before = world.clock.now_micros()
        await world.ask(NEVER, SILENT)
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        waited = (world.clock.now_micros() - before) / SECOND
        assert UNANSWERED_SECONDS_MAX <= waited < UNANSWERED_SECONDS_MAX + A_PAUSE
        assert chat.last_error is not None
        assert chat.last_error.retryable
        assert chat.last_error.message.endswith("Send the message again in a while.")

    tell(story, make=TwoProviders)


def test_a_restart_does_not_begin_the_waiting_anew(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def main() -> None:
        async with open_sqlite(tmp_path / "chatd.db", now_micros=clock.now_micros, inline=True) as db:
            await migrate(db)
            await db.write(lambda tx: tx.run("insert_user", OWNER, "owner", "member"))
            first, second = TwoProviders(db), TwoProviders(db)
            async with asyncio.TaskGroup() as group:
                group.create_task(first.worker().run(first.stop))
                await first.ask(NEVER, SILENT)
                await first.until(lambda chat: chat.retry_state is not None and chat.versions.attempt == 2)
                first.stop.set()
            began = clock.now_micros()
            async with asyncio.TaskGroup() as group:
                group.create_task(second.worker().run(second.stop))
                await second.until(lambda chat: chat.status is Status.ERROR)
                second.stop.set()

            assert (clock.now_micros() - began) / SECOND < UNANSWERED_SECONDS_MAX / 2

    run_virtually(main())


def test_an_answer_that_was_begun_is_not_taken_for_silence() -> None:
    """However often it breaks off: time in which something came does not count."""

    async def story(world: World) -> None:
        await world.start("stop 4 times after 300 words\nstream 300 words at 1 per second\nsay Done.")
        await world.until_idle()

        assert (await world.transcript())[-1].endswith("Done.")

    tell(story)


def test_viewers_are_told_for_which_provider_a_chat_waits_and_when_it_is_over() -> None:
    async def story(world: World) -> None:
        bell = Bell()
        told: list[HeldUp | None] = []

        async def look_on() -> None:
            async for batch in watch(world.store, world.board, world.clock, CHAT, cursor=None, bell=bell):
                told.extend(event.held_up for event in batch.events if isinstance(event, HeldUpChanged))

        await world.start("wait 30\nsay Late.")
        async with asyncio.TaskGroup() as group:
            group.create_task(look_on())
            await world.until_idle()
            bell.end()

        first, last = told
        assert first is not None
        assert (first.reason, first.provider) == ("provider", "scripted")
        assert last is None

    tell(story)


def test_a_chat_that_waits_for_a_slot_says_so() -> None:
    async def story(world: World) -> None:
        await world.start('call wait {"seconds": 60}\nnext\nsay Done.', ChatId("busy"))
        await world.until(lambda chat: chat.open_calls == 1, ChatId("busy"))
        await world.start("say Hi.")
        await world.clock.sleep(1)
        assert world.board.waits.shown == {}
        await world.clock.sleep(SHOWN_AFTER_SECONDS)

        assert {chat_id: each.reason for chat_id, each in world.board.waits.shown.items()} == {CHAT: "slot"}
        await world.until_idle()
        assert world.board.waits.shown == {}

    tell(story, slots=1)


def test_a_stop_ends_the_wait_for_a_provider() -> None:
    async def story(world: World) -> None:
        await world.start(NEVER)
        await world.clock.sleep(2 * SHOWN_AFTER_SECONDS)
        assert CHAT in world.board.waits.shown
        await world.tell(Interrupt())
        await world.until_idle()

        assert world.board.waits.shown == {}
        assert world.slots.work.idle

    tell(story)


def test_a_model_that_answers_with_nothing_is_asked_again_and_then_the_chat_says_so() -> None:
    async def story(world: World) -> None:
        await world.start("end done")
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert world.models.looked_for == 3
        assert chat.last_error is not None
        assert chat.last_error.message.startswith("The model answered with nothing. Send the message again")

    tell(story)


def test_a_model_that_finds_words_the_second_time_is_heard() -> None:
    async def story(world: World) -> None:
        world.models = SpeaksTheSecondTime(world.clock)  # type: ignore[assignment]  # a `Models`
        await world.start("say Here.")
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Here."

    tell(story, make=LateModels)


class LateModels(World):
    def services(self) -> AgentServices:
        return replace(super().services(), models=self)

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        return await self.models.find(name, owner_id)


class SpeaksTheSecondTime:
    """A `Models` whose only model has nothing to say at first."""

    def __init__(self, clock: VirtualClock) -> None:
        self._times = 0
        self._clock = clock

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        self._times += 1
        return ScriptedModel(self._clock, script="end done" if self._times == 1 else None)


def test_when_all_tries_are_used_up_people_are_told_what_to_do() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded")
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert chat.last_error.retryable
        assert chat.last_error.message.endswith(
            "is overloaded at the moment. Send the message again in a while."
        )

    tell(story)
