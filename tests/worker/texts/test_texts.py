"""What is written about chats after their turns: beside them, and never in their way."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.agent.texts.due import Ended
from chatd.agent.texts.services import TextServices
from chatd.agent.texts.writer import PAUSE_SECONDS, TextWriter
from chatd.catalog.documents import Texts
from chatd.domain.chat import Chat
from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId, UserId
from chatd.domain.profile.texts import ENDINGS, TitleBy
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.turn_end import Reason
from chatd.errors import ProviderError
from chatd.providers.model import Model
from chatd.providers.scripted.model import ScriptedModel
from chatd.records.recorder import Recorder
from chatd.records.run import Operation, RecordStatus, RunKind
from chatd.records.store import list_runs
from chatd.storage.database import Database
from chatd.storage.transactions.transact import Store, create_chat
from chatd.worker.text_queue import TextQueue
from tests.support.counting import Counting
from tests.support.scripted_only import ScriptedOnly
from tests.traceability import proves
from tests.words import create, user
from tests.worker.worlds.world import CHAT, World, tell

OTHER = ChatId("other")
LONG = "say " + "word " * 50


class Known(ScriptedOnly):
    """The scripted model, and others by exact names."""

    def __init__(self, scripted: ScriptedModel) -> None:
        super().__init__(scripted)
        self.others: dict[str, Model] = {}

    async def find_exactly(self, name: str, owner_id: UserId) -> Model:
        if name not in self.others:
            raise ProviderError("config", f"There is no model {name}.")
        return self.others[name]


class TextWorld(World):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.models = self.known = Known(ScriptedModel(self.clock))
        self.wanted = Texts(turn_labels=True)
        self.recorder = Recorder(db=db, clock=self.clock, wanted=self._recorded, retention_days=30)
        self.records = False
        self.texts = TextQueue(self._write)
        self.counting = Counting(db)

    async def _recorded(self, _: UserId) -> bool:
        return self.records

    async def _wanted(self) -> Texts:
        return self.wanted

    async def _write(self, ended: Ended) -> None:
        await self.writer.write(ended)

    def services(self) -> AgentServices:
        services = super().services()
        text_services = TextServices(
            store=Store(self.counting, self.bus),
            models=self.known,
            wanted=self._wanted,
            clock=self.clock,
            reply_bytes=self.board.reply_bytes,
            recorder=self.recorder,
        )
        self.writer = TextWriter(text_services)
        return replace(services, turn_over=self.texts.note, recorder=self.recorder)

    async def until_named(self, title: str) -> Chat:
        return await self.until(lambda chat: chat.title == title)

    async def charges(self) -> list[tuple[str, str]]:
        return [(each.operation, str(each.fate)) for each in (await self.stored()).charges]


def tell_texts(story: Callable[[TextWorld], Awaitable[None]], *, slots: int = 8) -> None:
    async def with_texts(world: World) -> None:
        assert isinstance(world, TextWorld)
        async with asyncio.TaskGroup() as group:
            writing = group.create_task(world.texts.run())
            try:
                await story(world)
            finally:
                writing.cancel()

    tell(with_texts, make=TextWorld, slots=slots)


def test_after_its_first_turn_a_chat_is_named_without_moving_in_its_list() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("for title say Moons of Jupiter\nsay Hello.")
        idle = await world.until_idle()
        chat = await world.until_named("Moons of Jupiter")

        assert chat.title_by is TitleBy.MODEL
        assert chat.updated_at == idle.updated_at
        assert await world.charges() == [("title", "used")]
        # The reply, and the title.
        assert chat.totals.unpriced == 2

    tell_texts(story)


@proves("api", 80)
def test_a_title_that_fails_leaves_the_first_words_and_the_turn_as_they_are() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("for title fail overloaded\nsay Hello.")
        before = await world.until_idle()
        await world.clock.sleep(100)
        chat = (await world.stored()).chat

        assert (chat.title, chat.title_by, chat.last_error) == (before.title, TitleBy.FALLBACK, None)
        assert chat.versions == before.versions

    tell_texts(story)


@proves("api", 79)
def test_a_rename_while_the_model_thinks_stays() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("for title wait 10\nfor title say Moons of Jupiter\nsay Hello.")
        await world.until_idle()
        await world.tell(DescribeChat(details=Details(title="Mine")))
        await world.clock.sleep(20)

        assert (await world.stored()).chat.title == "Mine"
        # It was paid for all the same.
        assert await world.charges() == [("title", "discarded")]

    tell_texts(story)


def test_a_title_that_takes_too_long_is_given_up() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("for title wait 1000\nsay Hello.")
        await world.until_idle()
        await world.clock.sleep(40)
        await world.send("for title say Moons of Jupiter\nsay More.")

        # The first turn is still among what the model is told, with its script.
        await world.clock.sleep(40)
        assert (await world.stored()).chat.title_by is TitleBy.FALLBACK

    tell_texts(story)


def test_no_turn_waits_for_what_is_written_about_another() -> None:
    """Neither a chat for its own texts, nor another one, even with one slot."""

    async def story(world: TextWorld) -> None:
        began = world.clock.monotonic()
        await world.start("for label wait 25\nsay Hello.")
        await world.until_idle()
        await world.start("say Hi.", OTHER)
        await world.until_idle(OTHER)
        await world.send("say More.")
        await world.until(lambda chat: chat.projection.turns == 2 and chat.finish_reason is not None)

        assert world.clock.monotonic() - began < 10

    tell_texts(story, slots=1)


def test_the_last_turn_is_labelled() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("for label say Greeted the user\nsay Hello.")
        chat = await world.until(lambda chat: chat.label is not None)

        assert chat.last_turn_summary == "Greeted the user"
        assert await world.charges() == [("label", "used")]

    tell_texts(story)


def test_a_label_that_is_none_leaves_the_words_for_how_the_turn_ended() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("for label say I greeted the user, and they were happy.\nsay Hello.")
        chat = await world.until(lambda chat: chat.totals.unpriced > 1)

        assert (chat.label, chat.last_turn_summary) == (None, ENDINGS[Reason.COMPLETE])
        assert await world.charges() == [("label", "discarded")]

    tell_texts(story)


@proves("api", 81)
@proves("worker", 54)
def test_a_label_that_comes_after_the_next_turn_is_dropped() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("for label wait 20\nfor label say Greeted the user\nsay Hello.")
        await world.until_idle()
        await world.send("say More.")
        await world.until(lambda chat: chat.projection.turns == 2 and chat.finish_reason is not None)
        await world.clock.sleep(30)

        assert (await world.stored()).chat.turn_label is None
        assert await world.charges() == [("label", "discarded")]

    tell_texts(story)


def test_a_chat_is_summed_up_for_lists() -> None:
    async def story(world: TextWorld) -> None:
        await world.start(f"for summary say It is about words.\n{LONG}")
        chat = await world.until(lambda chat: chat.summary is not None)

        assert chat.summary == "It is about words."
        assert await world.charges() == [("chat_summary", "used")]

    tell_texts(story)


def test_the_scripted_model_writes_nothing_that_its_script_does_not_say() -> None:
    async def story(world: TextWorld) -> None:
        await world.start(LONG)
        before = await world.until_idle()
        await world.clock.sleep(100)

        after = (await world.stored()).chat
        assert after == before

    tell_texts(story)


def test_a_model_that_writes_nothing_has_nothing_read_for_it() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("say Hello.")
        await world.until_idle()
        before = world.counting.reads

        await world.send("say Again.")
        await world.until_idle()
        await world.clock.sleep(0.01)
        assert world.counting.reads == before

        # For one that could write, the chat is read.
        other = ScriptedModel(world.clock)
        other.writes_texts = True
        world.known.others["small/model"] = other
        world.wanted = Texts(model="small/model", turn_labels=True)
        await world.send("say Once more.")
        await world.until_idle()
        await world.clock.sleep(0.01)
        assert world.counting.reads > before

    tell_texts(story)


def test_administrators_choose_the_model_that_writes() -> None:
    async def story(world: TextWorld) -> None:
        other = ScriptedModel(world.clock)
        other.name, other.provider = "small/model", "small"
        world.known.others["small/model"] = other
        world.wanted = Texts(model="small/model", turn_labels=True)
        await world.start("for title say Moons of Jupiter\nsay Hello.")
        await world.until_named("Moons of Jupiter")

        assert [each.model for each in (await world.stored()).charges] == ["small/model"]

    tell_texts(story)


def test_while_the_chosen_model_cannot_be_used_nothing_is_written() -> None:
    async def story(world: TextWorld) -> None:
        world.wanted = Texts(model="gone/model", turn_labels=True)
        await world.start("for title say Moons of Jupiter\nsay Hello.")
        await world.until_idle()
        await world.clock.sleep(100)

        assert (await world.stored()).chat.title_by is TitleBy.FALLBACK

    tell_texts(story)


def test_what_administrators_do_without_is_not_paid_for() -> None:
    async def story(world: TextWorld) -> None:
        world.wanted = Texts(titles=False, turn_labels=False)
        await world.start(
            f"for title say Moons of Jupiter\nfor label say Greeted the user\nfor summary say Words.\n{LONG}"
        )
        await world.until(lambda chat: chat.summary is not None)

        assert await world.charges() == [("chat_summary", "used")]

    tell_texts(story)


def test_a_provider_that_wants_fewer_calls_is_left_alone_for_a_while() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("for label fail rate_limit\nfor title say Moons of Jupiter\nsay Hello.")
        await world.until_idle()
        await world.clock.sleep(5)
        assert (await world.stored()).chat.title_by is TitleBy.FALLBACK

        await world.clock.sleep(PAUSE_SECONDS)
        await world.send("say More.")
        await world.until_named("Moons of Jupiter")

    tell_texts(story)


@proves("subagents", 62)
def test_a_chat_that_works_for_another_is_labelled_with_its_report_by_no_model() -> None:
    async def story(world: TextWorld) -> None:
        await world.start("say Hello.")
        await world.until_idle()
        child = create(user("for label say Greeted the user\nsay All 3 files are fine."), chat_id=OTHER)
        await create_chat(world.store, replace(child, parent_id=CHAT, root_id=CHAT))
        chat = await world.until(lambda chat: chat.label is not None, OTHER)

        assert chat.label == "All 3 files are fine."
        assert (await world.stored(OTHER)).charges == ()

    tell_texts(story)


def test_a_text_is_recorded_as_a_run_of_its_own() -> None:
    async def story(world: TextWorld) -> None:
        world.records = True
        await world.start("for title say Moons of Jupiter\nsay Hello.")
        chat = await world.until_named("Moons of Jupiter")
        await world.clock.sleep(1)

        runs = await list_runs(world.db, chat)
        assert [(run.kind, run.status) for run in runs] == [
            (RunKind.TEXT, RecordStatus.COMPLETED),
            (RunKind.TURN, RecordStatus.COMPLETED),
        ]

    tell_texts(story)


def test_a_text_that_is_recorded_does_not_end_the_record_of_the_turn_under_way() -> None:
    async def story(world: TextWorld) -> None:
        world.records = True
        await world.start("for title wait 5\nfor title say Moons of Jupiter\nsay Hello.")
        await world.until_idle()
        await world.send("wait 20\nsay More.")
        await world.until(lambda chat: chat.title_by is TitleBy.MODEL)
        await world.until(lambda chat: chat.projection.turns == 2 and chat.finish_reason is not None)
        await world.clock.sleep(1)

        runs = await list_runs(world.db, (await world.stored()).chat)
        assert {run.status for run in runs} == {RecordStatus.COMPLETED}

    tell_texts(story)


def test_whenever_the_process_ends_nothing_of_a_text_is_half_there() -> None:
    """The queue is cancelled at any moment of a text that is being written."""
    for seed in range(20):

        async def story(world: TextWorld, seed: int = seed) -> None:
            async with asyncio.TaskGroup() as group:
                writing = group.create_task(world.texts.run())
                await world.start("for title wait 2\nfor title say Moons of Jupiter\nsay Hello.")
                await world.clock.sleep(Random(seed).uniform(0, 4))
                writing.cancel()
            chat = (await world.stored()).chat
            assert (chat.title == "Moons of Jupiter") == (chat.title_by is TitleBy.MODEL)
            assert [each.operation for each in (await world.stored()).charges] == ["title"] * (
                chat.title_by is TitleBy.MODEL
            )

        tell(story, make=TextWorld)  # type: ignore[arg-type]  # the world is one of these
    assert Operation.TITLE.is_beside_turns
