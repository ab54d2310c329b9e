"""How many calls run at once: of a reply, of one tool, and in the whole process; all get their turn."""

import asyncio
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.calls.places import CallPlaces
from chatd.agent.calls.run_tools import PARALLEL_MAX
from chatd.agent.services import AgentServices
from chatd.domain.call import CallState, Effect
from chatd.domain.ids import ChatId
from chatd.domain.part import Json
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.storage.database import Database
from chatd.tools.arguments import typed
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.tool import Setting, Tool, touches_nothing
from tests.support.same_tools import toolbox_with
from tests.worker.worlds.absence import AwayWorld
from tests.worker.worlds.world import CHAT, World, tell

OTHER = ChatId("other")
PLACES = 4
SEARCHES = 2


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class CrowdedWorld(World):
    """With few places in the process, and a tool of which few run at once."""

    places = PLACES
    serial = False

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.call_places = CallPlaces(self.places)
        self.running: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    def services(self) -> AgentServices:
        tools = (
            *rehearsal_tools(self.witness, self.clock),
            self._tool("dig", None),
            self._tool("search", SEARCHES),
        )
        return replace(super().services(), toolbox_of=toolbox_with(tools), call_places=self.call_places)

    def _tool(self, name: str, at_once: int | None) -> Tool[Nothing]:
        async def run(_: Nothing, setting: Setting) -> Json:
            self.witness.saw(f"{name} {setting.chat_id}")
            self.running[name] += 1
            self.running["all"] += 1
            for key in (name, "all"):
                self.most[key] = max(self.most[key], self.running[key])
            try:
                await self.clock.sleep(10)
            finally:
                self.running[name] -= 1
                self.running["all"] -= 1
            return "done"

        return Tool(
            name=name,
            description="",
            arguments=typed(Nothing),
            effect=Effect.ONCE,
            touches=touches_nothing,
            serial=self.serial,
            run=run,
            at_once=at_once,
        )


class RoomyWorld(CrowdedWorld):
    places = 64


def calls(tool: str, count: int) -> str:
    return "\n".join(f"call @{tool}{n} {tool} {{}}" for n in range(count))


async def until_begun(world: CrowdedWorld, count: int) -> None:
    async with asyncio.timeout(3600):
        while len(world.witness.lines) < count:
            await world.clock.sleep(0.1)


def test_a_batch_runs_eight_at_once_and_all_of_them_in_the_end() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        await world.start(calls("dig", 20) + "\nnext\nsay Done.")
        await world.until_idle()

        assert world.most["dig"] == PARALLEL_MAX
        assert len(world.witness.lines) == 20

    tell(story, make=RoomyWorld)


def test_of_a_tool_with_a_bound_no_more_run_at_once_whatever_chats_ask() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        chats = [ChatId(f"chat {n}") for n in range(5)]
        for chat_id in chats:
            await world.start(calls("search", 6) + "\nnext\nsay Done.", chat_id)
        for chat_id in chats:
            await world.until_idle(chat_id)

        assert world.most["search"] == SEARCHES
        assert len(world.witness.lines) == 30

    tell(story, make=RoomyWorld)


def test_a_busy_tool_does_not_hold_up_the_other_calls_of_its_reply() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        await world.start(calls("search", 10) + "\n" + calls("dig", 3) + "\nnext\nsay Done.")
        await until_begun(world, 4)

        assert Counter(line.split()[0] for line in world.witness.lines) == {"search": 1, "dig": 3}
        await world.until_idle()
        assert world.most["search"] == 1  # One place stays free for other chats.

    tell(story, make=RoomyWorld)


def test_the_process_runs_no_more_calls_at_once_than_it_has_places() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        chats = [ChatId(f"chat {n}") for n in range(6)]
        for chat_id in chats:
            await world.start(calls("dig", 5) + "\nnext\nsay Done.", chat_id)
        for chat_id in chats:
            await world.until_idle(chat_id)

        assert world.most["all"] == PLACES
        assert len(world.witness.lines) == 30
        assert world.running["all"] == 0

    tell(story, make=CrowdedWorld)


def test_a_chat_with_a_thousand_calls_does_not_keep_the_call_of_another_waiting() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        await world.start("\nnext\n".join([calls("dig", 125)] * 8) + "\nnext\nsay Done.")
        await until_begun(world, PLACES - 1)
        began = world.clock.monotonic()
        await world.start(calls("dig", 1) + "\nnext\nsay Hi.", OTHER)
        await world.until_idle(OTHER)

        assert world.clock.monotonic() - began < 12
        await world.tell(Interrupt())
        await world.until_idle()

    tell(story, make=CrowdedWorld)


def test_a_call_that_waits_for_a_place_is_not_noted_as_started() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        await world.start(calls("dig", 6) + "\nnext\nsay Done.")
        await until_begun(world, PLACES - 1)

        states = Counter(call.state for call in (await world.stored()).calls)
        assert states == {CallState.STARTED: PLACES - 1, CallState.OPEN: 3}
        await world.until_idle()

    tell(story, make=CrowdedWorld)


def test_a_stop_ends_the_wait_for_a_place_and_gives_back_what_was_taken() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        await world.start(calls("dig", 6))
        await until_begun(world, PLACES - 1)
        await world.tell(Interrupt())
        await world.until_idle()
        assert len(world.witness.lines) == PLACES - 1

        await world.start(calls("dig", PLACES - 1) + "\nnext\nsay Done.", OTHER)
        await until_begun(world, 2 * (PLACES - 1))
        await world.until_idle(OTHER)

    tell(story, make=CrowdedWorld)


def test_calls_that_rest_leave_their_places_to_others() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        resting = [ChatId(f"resting {n}") for n in range(2 * PLACES)]
        for chat_id in resting:
            await world.start('call rest {"seconds": 600}\nnext\nsay Rested.', chat_id)
        await until_begun(world, len(resting))
        began = world.clock.monotonic()
        await world.start(calls("dig", 1) + "\nnext\nsay Hi.", OTHER)
        await world.until_idle(OTHER)

        assert world.clock.monotonic() - began < 12
        for chat_id in resting:
            await world.until_idle(chat_id)
            assert (await world.transcript(chat_id))[-1] == "assistant: Rested."

    tell(story, make=CrowdedWorld, slots=2)


def test_slots_and_places_never_wait_for_each_other() -> None:
    """Calls that come back from a rest want a slot and a place, and other chats hold one of the two."""

    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        script = 'call rest {"seconds": 7}\ncall rest {"seconds": 3}\n' + calls("dig", 4)
        chats = [ChatId(f"chat {n}") for n in range(10)]
        for chat_id in chats:
            await world.start(f"{script}\nnext\n{script}\nnext\nsay Done.", chat_id)
        for chat_id in chats:
            await world.until_idle(chat_id)
            assert (await world.transcript(chat_id))[-1] == "assistant: Done."

        assert world.slots.work.idle
        assert world.most["all"] <= PLACES

    tell(story, make=CrowdedWorld, slots=1)


class SerialWorld(RoomyWorld):
    serial = True


def test_calls_that_run_in_order_wait_for_one_whose_tool_is_busy() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        for number in range(SEARCHES):
            await world.start(calls("search", 1), ChatId(f"busy {number}"))
        await until_begun(world, SEARCHES)
        await world.start(calls("search", 1) + "\n" + calls("dig", 1) + "\nnext\nsay Done.")
        await world.until_idle()

        assert world.witness.lines[-2:] == [f"search {CHAT}", f"dig {CHAT}"]

    tell(story, make=SerialWorld)


class AwayCrowd(RoomyWorld, AwayWorld):
    """Its workers may lose the database."""


def test_calls_that_had_places_and_could_not_begin_give_them_back() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, AwayCrowd)
        # The start is saved, its answer is lost, and no one can tell whether it was.
        world.leaving.unanswered, world.leaving.unanswered_kind = 1, StartCalls
        await world.start(calls("dig", 6) + "\nnext\nsay Done.")
        while world.leaving.unanswered:
            await world.clock.sleep(0.01)
        world.leaving.reads = False
        await world.clock.sleep(60)
        world.leaving.reads = True
        await world.until_idle()

        # The same runner knows that none of them had begun.
        assert world.witness.lines == [f"dig {CHAT}"] * 6
        assert all(line.idle for line in world.call_places.lines(None))

    tell(story, make=AwayCrowd)


def test_after_everything_all_places_are_free_again() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, CrowdedWorld)
        await world.start(
            calls("search", 3) + "\ncall @x explode {}\n" + calls("dig", 3) + "\nnext\nsay Done."
        )
        await world.until_idle()

        assert all(line.idle for line in world.call_places.lines(world._tool("search", SEARCHES)))
        assert (await world.transcript(CHAT))[-1] == "assistant: Done."

    tell(story, make=CrowdedWorld)
