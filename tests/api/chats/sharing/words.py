"""Words for tests of chats that are shared."""

from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import User, create_user
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.kit.ids import new_id
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client


async def somebody(
    app: ASGIApp, store: Store, name: str, role: UserRole = UserRole.MEMBER
) -> tuple[Client, User]:
    user = await create_user(store.db, name, role)
    return Client(app, await create_token(store.db, user.id, "test")), user


async def share(client: Client, chat_id: str, with_whom: str, role: str = "reader", **fields: object) -> None:
    answer = await client.put(f"{CHATS}/{chat_id}/grants/{with_whom}", {"role": role, **fields})
    assert answer.status == 200, answer.body


async def a_group(store: Store, *members: UserId) -> str:
    """A group of these users; its id, which is its name."""
    group_id = new_id()
    words = [f"INSERT INTO groups VALUES ('{group_id}', '{group_id}', '{group_id}', 'local', 0);"]  # noqa: S608
    words += [f"INSERT INTO group_members VALUES ('{group_id}', '{each}', 'local', 0);" for each in members]  # noqa: S608
    await store.db.write(lambda tx: tx.script("\n".join(words)))
    return group_id
