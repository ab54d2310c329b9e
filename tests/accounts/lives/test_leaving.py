"""What becomes of the chats of who is deleted, also when the server ends in the middle of it."""

import pytest

from chatd.accounts.lives.leaving import Leaver, leavers_after, settle, settle_all
from chatd.accounts.lives.lives import delete_user, restore_user
from chatd.accounts.lives.stopping import stop_agents
from chatd.accounts.services.services import NewService, create_service
from chatd.accounts.services.speaking import spoken_for
from chatd.accounts.users import User, create_user
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.acting import ActsFor
from chatd.domain.people.audit import THE_SERVER
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import BadInput, Unavailable
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.families import archive_family
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.traceability import proves
from tests.words import user as user_says

HEIR = "heir"
# Writes that it takes to delete somebody with three families, and a few more.
WRITES = 9


class Dying:
    """A database whose process ends when it has written so often."""

    def __init__(self, db: Database, writes: int) -> None:
        self._db, self._writes = db, writes
        self.engine = db.engine

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if not self._writes:
            raise Unavailable("The process is gone.")
        self._writes -= 1
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


@pytest.fixture
async def anna(database: Database) -> User:
    return await create_user(database, "anna", UserRole.MEMBER)


@pytest.fixture
async def heir(database: Database) -> User:
    return await create_user(database, HEIR, UserRole.MEMBER)


async def families_of(store: Store, owner_id: UserId) -> list[ChatId]:
    """One that rests, one in the archive, and one with a chat that works for it."""
    roots = [ChatId(f"{owner_id}-{name}") for name in ("rests", "archived", "family")]
    child = ChatId(f"{owner_id}-child")
    for chat_id, parent in (*((root, None) for root in roots), (child, roots[2])):
        command = CreateChat(
            id=chat_id, owner_id=owner_id, messages=(user_says("hi"),), parent_id=parent, root_id=parent
        )
        await create_chat(store, command)
        await transact(store, chat_id, Interrupt(), FinishInterruption())
    await archive_family(store, roots[1], Archive())
    return [*roots, child]


async def left(store: Store, leaver: User, chats: ChatsOfLeaver, to: UserId | None = None) -> None:
    """As the route does it."""
    leaving = Leaving(chats=chats, to=to, by=THE_SERVER)
    await delete_user(store.db, leaver.id, leaving)
    await stop_agents(store, leaver.id)
    await settle(store, Leaver(leaver.id, leaving))


async def all_of(store: Store, chat_ids: list[ChatId]) -> list[Chat]:
    found = [await read_chat(store.db, chat_id) for chat_id in chat_ids]
    return [chat for chat in found if chat is not None]


async def has_become(store: Store, chat_ids: list[ChatId], chats: ChatsOfLeaver, heir: User) -> bool:
    found = await all_of(store, chat_ids)
    match chats:
        case ChatsOfLeaver.TRANSFER:
            return len(found) == len(chat_ids) and all(chat.owner_id == heir.id for chat in found)
        case ChatsOfLeaver.ARCHIVE:
            return len(found) == len(chat_ids) and all(chat.archived for chat in found)
        case ChatsOfLeaver.ERASE:
            return not found


@proves("people", 34)
@pytest.mark.parametrize("chats", ChatsOfLeaver)
async def test_what_was_chosen_comes_about_wherever_the_server_ends_in_the_middle(
    store: Store, anna: User, heir: User, chats: ChatsOfLeaver
) -> None:
    for writes in range(1, WRITES):
        leaver = await create_user(store.db, f"anna {writes}", UserRole.MEMBER)
        chat_ids = await families_of(store, leaver.id)
        to = heir.id if chats is ChatsOfLeaver.TRANSFER else None
        try:
            await left(Store(Dying(store.db, writes), store.hints), leaver, chats, to)
        except Unavailable:
            pass

        await settle_all(store)

        assert await has_become(store, chat_ids, chats, heir), writes
        assert await leavers_after(store.db) == []


async def test_a_family_whose_agent_still_stops_is_left_for_later(store: Store, anna: User) -> None:
    chat_id = ChatId("at work")
    await create_chat(store, CreateChat(id=chat_id, owner_id=anna.id, messages=(user_says("hi"),)))

    await left(store, anna, ChatsOfLeaver.ARCHIVE)

    [chat] = await all_of(store, [chat_id])
    assert (chat.status, chat.archived) == (Status.INTERRUPTING, False)
    await settle_all(store)
    assert [each.id for each in await leavers_after(store.db)] == [anna.id]
    await transact(store, chat_id, FinishInterruption())
    await settle_all(store)
    [chat] = await all_of(store, [chat_id])
    assert chat.archived
    assert await leavers_after(store.db) == []


async def test_a_service_takes_the_chats_of_its_end_users_along(store: Store, heir: User) -> None:
    made = await create_service(store.db, NewService(name="shop", acts_for=ActsFor.END_USERS))
    service = made.profile.user
    end_user = await spoken_for(store.db, service, "customer-7")
    assert end_user is not None
    chat_ids = [*await families_of(store, service.id), *await families_of(store, end_user.id)]

    await left(store, service, ChatsOfLeaver.TRANSFER, heir.id)

    assert await has_become(store, chat_ids, ChatsOfLeaver.TRANSFER, heir)
    assert {chat.service_id for chat in await all_of(store, chat_ids)} == {None}


async def test_who_is_brought_back_keeps_what_was_not_settled_yet(store: Store, anna: User) -> None:
    chat_ids = await families_of(store, anna.id)
    await delete_user(store.db, anna.id, Leaving(chats=ChatsOfLeaver.ERASE, by=THE_SERVER))

    await restore_user(store.db, anna.id)
    await settle_all(store)

    assert [chat.owner_id for chat in await all_of(store, chat_ids)] == [anna.id] * 4


async def test_who_gets_chats_is_an_active_person_who_may_have_some(
    store: Store, anna: User, heir: User
) -> None:
    viewer = await create_user(store.db, "viewer", UserRole.VIEWER)
    service = (await create_service(store.db, NewService(name="shop"))).profile.user
    gone = await create_user(store.db, "gone", UserRole.MEMBER)
    await delete_user(store.db, gone.id, Leaving(chats=ChatsOfLeaver.ERASE, by=THE_SERVER))

    for to in (viewer.id, service.id, gone.id, anna.id, UserId("nobody"), None):
        with pytest.raises(BadInput):
            await left(store, anna, ChatsOfLeaver.TRANSFER, to)
    with pytest.raises(BadInput):
        await left(store, anna, ChatsOfLeaver.ARCHIVE, heir.id)


async def test_an_end_user_leaves_chats_to_another_one_of_the_same_service_only(store: Store) -> None:
    services = [
        (await create_service(store.db, NewService(name=name, acts_for=ActsFor.END_USERS))).profile.user
        for name in ("shop", "other")
    ]
    ours = [await spoken_for(store.db, services[0], name) for name in ("a", "b")]
    other = await spoken_for(store.db, services[1], "c")
    first, second = ours
    assert first is not None
    assert second is not None
    assert other is not None
    chat_ids = await families_of(store, first.id)

    with pytest.raises(BadInput):
        await left(store, first, ChatsOfLeaver.TRANSFER, other.id)
    await left(store, first, ChatsOfLeaver.TRANSFER, second.id)

    assert await has_become(store, chat_ids, ChatsOfLeaver.TRANSFER, second)
    assert {chat.service_id for chat in await all_of(store, chat_ids)} == {services[0].id}
