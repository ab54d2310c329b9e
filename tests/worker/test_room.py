"""How many chats a worker drives for one user, so that those of others get in line too."""

from functools import partial

from msgspec.structs import replace

from chatd.domain.chat import Status
from chatd.domain.ids import ChatId, UserId
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.storage.transactions.transact import create_chat, transact
from chatd.worker.room import Room
from chatd.worker.worker import LOOK_SECONDS, Worker
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import OWNER, create, user
from tests.worker.worlds.families import FamilyWorld, script, spawn, wait
from tests.worker.worlds.world import World, tell

OTHER = UserId("other")


class SmallWorld(FamilyWorld):
    """Its worker drives four chats, and three of one user."""

    def worker(self) -> Worker:
        self.workers.append(Worker(self.services(), self.bus, room=partial(Room, all_max=4, per_user_max=3)))
        return self.workers[-1]


async def fill(world: World, count: int) -> list[ChatId]:
    chats = [ChatId(f"chat {number}") for number in range(count)]
    for chat_id in chats:
        await world.start("wait 20\nsay Done.", chat_id)
    await world.clock.sleep(2 * LOOK_SECONDS)
    return chats


async def driven(world: World, chats: list[ChatId]) -> int:
    stored = [(await world.stored(chat_id)).chat for chat_id in chats]
    return sum(chat.lease is not None for chat in stored)


def test_one_user_with_many_chats_leaves_room_for_the_chats_of_another() -> None:
    async def story(world: World) -> None:
        await world.db.write(lambda tx: tx.run("insert_user", OTHER, OTHER, "member"))
        chats = await fill(world, 10)
        assert await driven(world, chats) == 3

        theirs = ChatId("theirs")
        await create_chat(world.store, replace(create(user("say Hi."), chat_id=theirs), owner_id=OTHER))
        began = world.clock.monotonic()
        await world.until_idle(theirs)
        assert world.clock.monotonic() - began < LOOK_SECONDS

        for chat_id in chats:
            await world.until_idle(chat_id)

    tell(story, make=SmallWorld)


def test_a_message_to_one_more_chat_of_a_full_user_waits_in_the_database() -> None:
    async def story(world: World) -> None:
        await fill(world, 3)
        done = await create_chat(world.driven_store, create(user("say Later."), chat_id="later"))
        assert done.chat.lease is None

        await world.until_idle(ChatId("later"))

    tell(story, make=SmallWorld)


def test_a_chat_that_is_to_be_stopped_is_driven_although_its_user_is_full() -> None:
    async def story(world: World) -> None:
        chats = await fill(world, 10)
        waiting = [each for each in chats if (await world.stored(each)).chat.lease is None]

        await transact(world.store, waiting[-1], Interrupt())
        began = world.clock.monotonic()
        await world.until_idle(waiting[-1])

        assert world.clock.monotonic() - began < 2 * LOOK_SECONDS

    tell(story, make=SmallWorld)


def test_room_is_counted_for_each_user() -> None:
    room = Room(all_max=4, per_user_max=2)
    chat = ModelChat(create(user("hello"))).chat
    assert chat.status is Status.RUNNING
    for _ in range(2):
        room.take(OWNER)

    assert room.full_users == [OWNER]
    assert not room.has_room_for(chat)
    assert room.has_room_for(replace(chat, owner_id=OTHER))
    assert room.give_back(OWNER)
    assert room.has_room_for(chat)
    assert not room.give_back(OWNER)
    assert (room.free, room.full_users) == (4, [])


@proves("worker", 9)
def test_parents_that_fill_the_room_do_not_keep_their_children_out() -> None:
    async def story(world: World) -> None:
        parents = [ChatId(f"parent {number}") for number in range(3)]
        for parent in parents:
            await world.start(script(spawn("child"), wait(timeout_seconds=3000), "say Heard."), parent)
        began = world.clock.monotonic()
        for parent in parents:
            await world.until_idle(parent)

        assert world.clock.monotonic() - began < 30

    tell(story, make=SmallWorld)
