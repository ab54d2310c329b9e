"""A deed and its row in the audit: whenever the server dies, both are there or neither is."""

import json

import pytest
from msgspec import Struct
from msgspec.structs import replace

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.ids import ChatId
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.reads.audit import read_audit
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import some_catalog_store
from tests.support.dying import Dying
from tests.traceability import proves
from tests.words import create, says, step

STATEMENTS_MAX = 60


class Deed(Struct, frozen=True):
    """A request, and where what it has changed can be seen."""

    method: str
    path: str
    body: object
    seen_at: str
    name: str


USERS, TOKENS = "/api/v1/users", "/api/v1/users/me/tokens"
PROVIDERS, MODELS = "/api/v1/providers", "/api/v1/models"
SETTINGS, SERVERS = "/api/v1/settings", "/api/v1/mcp-servers"
PROVIDER = {
    "type": "openai-compatible",
    "name": "new",
    "base_url": "https://example.org/v1",
    "api_key": "sk-1",
}
SERVER = {"slug": "new", "scope": "deployment", "transport": "stdio", "command": ["run"]}

DEEDS = (
    Deed("POST", USERS, {"name": "new", "invite": False}, USERS, "user.create"),
    Deed("PATCH", f"{USERS}/{{user}}", {"role": "viewer"}, USERS, "user.change"),
    Deed("POST", f"{USERS}/{{user}}/suspend", None, USERS, "user.suspend"),
    Deed("DELETE", f"{USERS}/{{user}}?chats=archive", None, USERS, "user.delete"),
    Deed("POST", TOKENS, {"name": "new"}, TOKENS, "token.create"),
    Deed("POST", "/api/v1/groups", {"name": "new"}, "/api/v1/groups", "group.create"),
    Deed("POST", PROVIDERS, PROVIDER, PROVIDERS, "provider.create"),
    Deed("PATCH", SETTINGS, {"titles": False, "system_prompt": "Be brief."}, SETTINGS, "settings.change"),
    Deed("POST", SERVERS, SERVER, SERVERS, "mcp_server.create"),
    Deed("POST", CHATS, {"content": [{"type": "text", "text": "hello"}]}, CHATS, "chat.create"),
    Deed("PATCH", f"{CHATS}/chat", {"archived": True}, f"{CHATS}/chat", "chat.archive"),
    Deed("DELETE", f"{CHATS}/chat", None, f"{CHATS}/chat", "chat.delete"),
)


class World(Struct, frozen=True):
    """An administrator, at a server that is well and at one that dies."""

    store: Store
    dying: Dying
    well: Client
    killed: Client
    user_id: str

    async def ask(self, deed: Deed, client: Client) -> int:
        path = deed.path.replace("{user}", self.user_id)
        body = [] if deed.body is None else [encoded(deed.body)]
        return (await client.ask(deed.method, path, *body)).status

    async def state(self, deed: Deed) -> bytes:
        return (await self.well.get(deed.seen_at)).body

    async def rows(self, deed: Deed) -> int:
        return sum(row.deed == deed.name for row in await read_audit(self.store.db, settled_micros=-1))


def encoded(body: object) -> bytes:
    return json.dumps(body).encode()


@pytest.fixture
async def world(store: Store) -> World:
    root = await create_user(store.db, "root", UserRole.ADMIN)
    user = await create_user(store.db, "anna", UserRole.MEMBER)
    command = replace(create(), owner_id=root.id)
    await create_chat(store, command)
    await transact(store, ChatId("chat"), step(says("hi")), FinishTurn())
    token = await create_token(store.db, root.id, "test")
    dying = Dying(store.db)
    broken = replace(store, db=dying)
    well = Client(build(store, catalog_store=some_catalog_store(store)), token)
    killed = Client(build(broken, catalog_store=some_catalog_store(broken)), token)
    # That the token was used is noted once an hour.
    for client in (well, killed):
        await client.get(TOKENS)
    return World(store, dying, well, killed, user.id)


@proves("people", 59)
@pytest.mark.parametrize("deed", DEEDS, ids=[deed.name for deed in DEEDS])
async def test_a_deed_and_its_row_are_both_there_or_neither_is(world: World, deed: Deed) -> None:
    before, rows = await world.state(deed), await world.rows(deed)
    is_changed, status, statements = False, 503, 0
    while status == 503:
        assert statements < STATEMENTS_MAX
        world.dying.left = statements
        status = await world.ask(deed, world.killed)
        is_changed = await world.state(deed) != before
        assert is_changed is (await world.rows(deed) > rows), f"killed after {statements} statements"
        statements += 1
    assert (is_changed, status < 300) == (True, True)
    assert statements > 3


@proves("people", 60)
@pytest.mark.parametrize("deed", DEEDS, ids=[deed.name for deed in DEEDS])
async def test_if_its_row_cannot_be_written_a_deed_does_not_happen(world: World, deed: Deed) -> None:
    before, rows = await world.state(deed), await world.rows(deed)
    world.dying.at = "insert_audit"

    assert await world.ask(deed, world.killed) == 503

    assert (await world.state(deed), await world.rows(deed)) == (before, rows)
