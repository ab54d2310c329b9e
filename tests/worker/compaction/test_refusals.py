"""Rules of ours that refuse what an agent wants to save: the turn ends, soon, and says why."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from chatd.agent.generation.retry import ATTEMPTS_MAX
from chatd.domain.chat import Chat, Status
from chatd.domain.decision.change import Details
from chatd.domain.ids import WorkerId
from chatd.domain.message import Role
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import LimitReached
from chatd.kit.clock import Clock
from chatd.providers.events import StreamEvent
from chatd.providers.model import Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.database import Body, Connection, Database, Pace, T
from chatd.storage.queries import SqlEngine
from chatd.storage.tables import leases
from chatd.storage.transactions.transact import Done, Store, create_chat, transact
from chatd.worker.endings import REFUSALS_MAX, pause_seconds
from tests.support.scripted_only import ScriptedOnly
from tests.words import create, lease, user
from tests.worker.worlds.world import CHAT, World, tell

RULE = "A reply may not be in rhymes."


class Counting(ScriptedModel):
    """Counts how often it is paid."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.calls = 0
        # What happens elsewhere while it speaks.
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self.calls += 1
        async for events in super().stream(request):
            yield events
        if self.meanwhile is not None:
            await self.meanwhile()


class Strict:
    """A database with a rule that no reply keeps, as long as `refuses` is above zero."""

    engine = SqlEngine.SQLITE

    def __init__(self, inner: Database) -> None:
        self._inner = inner
        self.refuses = 10_000
        # Set by the last refusal.
        self.refused_last = asyncio.Event()

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        async def judged(tx: Connection) -> T:
            done = await body(tx)
            if self.refuses and isinstance(done, Done) and _speaks(done):
                self.refuses -= 1
                raise LimitReached("too_lyrical", RULE, limit=0)
            return done

        try:
            return await self._inner.write(judged, pace=pace)
        except LimitReached:
            if not self.refuses:
                self.refused_last.set()
            raise

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._inner.read(body, pace=pace)


def _speaks(done: Done) -> bool:
    return any(message.role is Role.ASSISTANT for message in done.appended)


class StrictWorld(World):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.strict = Strict(db)
        self.model = Counting(self.clock)
        self.models = ScriptedOnly(self.model)

    def store_of_workers(self) -> Store:
        return Store(self.strict, self.bus)


def tell_strict(story: Callable[[StrictWorld], Awaitable[None]]) -> None:
    async def strict(world: World) -> None:
        assert isinstance(world, StrictWorld)
        await story(world)

    tell(strict, make=StrictWorld)


def _has_failed(chat: Chat) -> bool:
    return chat.status is Status.ERROR


def test_a_reply_that_a_rule_refuses_is_paid_for_a_few_times_and_then_the_turn_ends_with_the_rule() -> None:
    async def story(world: StrictWorld) -> None:
        await world.start("say Roses are red.")
        chat = await world.until(_has_failed)

        assert world.model.calls == REFUSALS_MAX
        assert chat.last_error is not None
        assert RULE in chat.last_error.message
        assert chat.last_error.retryable

    tell_strict(story)


def test_the_pauses_between_refused_replies_grow() -> None:
    async def story(world: StrictWorld) -> None:
        spoken: list[float] = []

        async def note() -> None:
            spoken.append(asyncio.get_running_loop().time())

        world.model.meanwhile = note
        await world.start("say Roses are red.")
        await world.until(_has_failed)

        first, second = spoken[1] - spoken[0], spoken[2] - spoken[1]
        assert 0.1 <= first < second

    tell_strict(story)


def test_a_rule_that_was_broken_once_does_not_end_the_turn() -> None:
    async def story(world: StrictWorld) -> None:
        world.strict.refuses = 1
        await world.start("say Prose.")
        await world.until_idle()

        assert (await world.transcript())[1:] == ["assistant: Prose."]
        assert world.model.calls == 2

    tell_strict(story)


def test_a_refusal_is_not_the_fault_of_others_for_ever() -> None:
    """During each try somebody else moves the chat, so that no refusal is clearly ours."""

    async def story(world: StrictWorld) -> None:
        async def rename() -> None:
            details = Details(title=f"Try {world.model.calls}")
            await transact(world.silent_store, CHAT, DescribeChat(details=details))

        world.model.meanwhile = rename
        await world.start("say Roses are red.")
        chat = await world.until(_has_failed)

        assert REFUSALS_MAX < world.model.calls <= ATTEMPTS_MAX
        assert chat.last_error is not None
        assert RULE in chat.last_error.message

    tell_strict(story)


def test_a_refused_interruption_ends_without_what_was_said() -> None:
    async def story(world: StrictWorld) -> None:
        await world.start("stream 1000 words at 10 per second")
        await world.until_said(" ")
        await world.tell(Interrupt())
        chat = await world.until_idle()

        assert chat.last_error is None
        assert (await world.transcript()) == ["user: stream 1000 words at 10 per second"]

    tell_strict(story)


def test_a_stop_soon_after_the_last_refusal_keeps_what_was_said() -> None:
    async def story(world: StrictWorld) -> None:
        world.strict.refuses = REFUSALS_MAX
        await world.start("say Roses are red.")
        await world.strict.refused_last.wait()
        # The runner has looked whether it was another caller, and pauses.
        await world.clock.sleep(pause_seconds(REFUSALS_MAX - 1) + 0.1)
        await transact(world.silent_store, CHAT, Interrupt())
        await world.until_idle()

        assert (await world.transcript())[1:] == ["assistant: Roses are red."]

    tell_strict(story)


def test_a_restart_earns_a_refused_reply_no_more_tries() -> None:
    """The count of attempts is stored: here others have made all but one of them."""

    async def story(world: StrictWorld) -> None:
        await leases.beat(world.db, WorkerId("dead"))
        await create_chat(world.silent_store, create(user("say Roses are red.")))
        attempts = [BeginAttempt()] * (ATTEMPTS_MAX - 1)
        await transact(world.silent_store, CHAT, Acquire(lease=lease("dead")), *attempts)
        await world.until(_has_failed)

        assert world.model.calls == 1

    tell_strict(story)
