"""Services: programs that speak for themselves, for end users of their own, or for people of a group."""

import asyncio
from typing import Any

import pytest
from starlette.types import ASGIApp, Message

from chatd.accounts.lives.lives import is_shut_out
from chatd.accounts.users import user_named
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.storage.reads.audit import AuditFilter, read_audit
from chatd.storage.transactions.transact import Store
from tests.api.accounts.test_groups import GROUPS, USERS, made, user_id_of
from tests.api.client import CHATS, Answer, Client
from tests.clock import MovedClock
from tests.traceability import proves

SERVICES = "/api/v1/services"
ME = "/api/v1/users/me"
USER_TOKENS = f"{SERVICES}/me/user-tokens"
TO_SPEAK = ["chats:read", "chats:write", "files:write", "models:read", "act_as"]


class Program:
    """A service, and whom it speaks for."""

    def __init__(self, app: ASGIApp, admin: Client, service: Any, token: str) -> None:
        self.app, self.admin, self.service, self.token = app, admin, service, token
        self.itself = Client(app, token)
        self.path = f"{SERVICES}/{service['id']}"

    async def ask(self, named: str | None, method: str, path: str, *chunks: bytes) -> Answer:
        headers = {"x-chatd-user": named} if named is not None else {}
        return await self.itself.ask(method, path, *chunks, headers=headers)

    async def start_chat(self, named: str) -> Any:
        body = b'{"content": [{"type": "text", "text": "hello"}]}'
        answer = await self.ask(named, "POST", CHATS, body)
        assert answer.status == 201, answer.body
        return answer.json

    async def end_users(self) -> list[Any]:
        found: list[Any] = (await self.admin.get(f"{self.path}/end-users")).json["users"]
        return found


async def program(
    app: ASGIApp, admin: Client, name: str = "shop", scopes: list[str] = TO_SPEAK, **fields: object
) -> Program:
    service = await admin.post(SERVICES, {"name": name, "acts_for": "end_users", **fields})
    assert service.status == 201, service.body
    token = await admin.post(
        f"{USERS}/{service.json['id']}/tokens", {"name": "program", "scopes": scopes, "days": 30}
    )
    assert token.status == 201, token.body
    return Program(app, admin, service.json, token.json["token"])


async def test_a_service_is_a_user_with_tokens_that_administrators_make(admin: Client, app: ASGIApp) -> None:
    shop = await program(app, admin, acts_for="nobody", role="auditor", scopes=["metrics:read"])

    me = (await shop.itself.get(ME)).json

    assert (me["name"], me["role"]) == ("shop", "auditor")
    assert (await shop.itself.get("/metrics")).status == 200
    listed = (await admin.get(SERVICES)).json["services"]
    assert listed == [(await admin.get(shop.path)).json]
    assert (listed[0]["kind"], listed[0]["acts_for"], listed[0]["end_users"]) == ("service", "nobody", 0)
    [token] = (await admin.get(f"{USERS}/{shop.service['id']}/tokens")).json["tokens"]
    assert token["made_by"] == (await admin.get(ME)).json["id"]
    assert [each["name"] for each in (await admin.get(USERS, kind="service")).json["users"]] == ["shop"]


async def test_nobody_makes_tokens_for_people_but_they_themselves(admin: Client) -> None:
    anna = await user_id_of(admin, "anna")

    refused = await admin.post(f"{USERS}/{anna}/tokens", {"name": "a token"})

    assert (refused.status, refused.error["code"]) == (409, "not_a_service")


async def test_no_browser_is_signed_in_with_the_token_of_a_service(admin: Client, app: ASGIApp) -> None:
    shop = await program(app, admin)

    assert (await Client(app).post("/api/v1/auth/exchange", {"token": shop.token})).status == 401


async def test_an_end_user_is_made_when_first_spoken_for_and_their_messages_are_theirs(
    admin: Client, app: ASGIApp
) -> None:
    shop = await program(app, admin)

    chat = await shop.start_chat("customer-7")

    [end_user] = await shop.end_users()
    me = (await shop.ask("customer-7", "GET", ME)).json
    assert (end_user["external_id"], end_user["kind"]) == ("customer-7", "end_user")
    assert (me["id"], chat["owner_id"]) == (end_user["id"], end_user["id"])
    [message] = (await shop.ask("customer-7", "GET", f"{CHATS}/{chat['id']}/messages")).json["messages"]
    assert message["created_by"] == end_user["id"]
    # Each has chats of their own, and the service too.
    for other in ("customer-8", None):
        assert (await shop.ask(other, "GET", CHATS)).json["chats"] == []
    assert (await admin.get(shop.path)).json["end_users"] == 2
    assert (await admin.get(USERS, q="customer")).json["users"] == []


@proves("people", 15)
async def test_two_first_requests_for_an_external_id_make_one_user_and_both_succeed(
    admin: Client, app: ASGIApp, store: Store
) -> None:
    shop = await program(app, admin)
    # Another server of the same database, which knows nothing of what this one remembers.
    other = Program(build(store), admin, shop.service, shop.token)

    answers = await asyncio.gather(
        *(each.ask("customer-7", "GET", ME) for each in (shop, other, shop, other))
    )

    assert [each.status for each in answers] == [200] * 4
    assert len({each.json["id"] for each in answers}) == 1
    assert len(await shop.end_users()) == (await admin.get(shop.path)).json["end_users"] == 1


@proves("people", 16)
async def test_nobody_is_made_and_nobody_spoken_for_without_the_right_to_it(
    admin: Client, app: ASGIApp, store: Store
) -> None:
    group = await made(admin, "staff")
    root = await user_named(store.db, "root")
    assert root is not None
    auditor = (await admin.post(USERS, {"name": "olaf", "role": "auditor"})).json["id"]
    suspended, outside = await user_id_of(admin, "sven"), await user_id_of(admin, "otto")
    for user_id in (root.id, auditor, suspended):
        assert (await admin.put(f"{GROUPS}/{group['id']}/members/{user_id}")).status == 204
    assert (await admin.ask("POST", f"{USERS}/{suspended}/suspend")).status == 200
    plain = await program(app, admin, "plain", scopes=["chats:read", "chats:write"])
    nobody = await program(app, admin, "nobody", acts_for="nobody")
    bot = await program(app, admin, "bot", acts_for="group", group_id=group["id"])
    shop = await program(app, admin)

    refused = await plain.ask("customer-7", "GET", ME)
    assert (refused.status, refused.error["code"]) == (403, "scope_missing")
    for speaker, named in [
        (nobody, "customer-7"),
        (shop, "@root"),
        (shop, "@otto"),
        (bot, "customer-7"),
        *((bot, name) for name in ("@root", "@olaf", "@sven", "@otto", "@who", "@bot")),
    ]:
        refused = await speaker.ask(named, "GET", ME)
        assert (refused.status, refused.error["code"]) == (403, "cannot_act_as"), named
        refused = await speaker.itself.post(USER_TOKENS, {"user": named})
        assert (refused.status, refused.error["code"]) == (403, "cannot_act_as"), named
    # A person is no service, whatever their token is good for.
    refused = await admin.ask("GET", ME, headers={"x-chatd-user": "customer-7"})
    assert (refused.status, refused.error["code"]) == (403, "cannot_act_as")
    for each in (plain, nobody, bot, shop):
        assert await each.end_users() == []
    assert outside


@pytest.mark.parametrize("named", ["", "a b", "ä", "x" * 201, "@", "a\x7f"])
async def test_a_name_that_nobody_can_have_is_refused(admin: Client, app: ASGIApp, named: str) -> None:
    shop = await program(app, admin)

    refused = await shop.ask(named, "GET", ME)

    assert (refused.status, refused.error["field"]) == (400, "X-Chatd-User")
    assert await shop.end_users() == []


async def test_a_service_of_a_group_speaks_for_people_in_it_until_they_leave(
    admin: Client, app: ASGIApp
) -> None:
    group, anna = await made(admin, "staff"), await user_id_of(admin, "Änna")
    path = f"{GROUPS}/{group['id']}/members/{anna}"
    assert (await admin.put(path)).status == 204
    bot = await program(app, admin, "bot", acts_for="group", group_id=group["id"])
    token = (await bot.itself.post(USER_TOKENS, {"user": "@änna"})).json["token"]
    in_utf8 = "@änna".encode().decode("latin-1")

    chat = await bot.start_chat(in_utf8)

    assert chat["owner_id"] == anna
    assert [each["id"] for each in (await Client(app, token).get(CHATS)).json["chats"]] == [chat["id"]]
    # The service has no chats of people.
    assert (await bot.itself.get(f"{CHATS}/{chat['id']}")).status == 404
    assert (await admin.delete(path)).status == 204
    assert (await bot.ask(in_utf8, "GET", CHATS)).error["code"] == "cannot_act_as"
    assert (await Client(app, token).get(CHATS)).status == 401


async def test_who_is_spoken_for_chats_and_does_nothing_else(admin: Client, app: ASGIApp) -> None:
    scopes = [*TO_SPEAK, "account", "chats:share", "admin", "usage:read", "audit:read", "metrics:read"]
    shop = await program(app, admin, scopes=scopes, role="admin")

    for path in (f"{ME}/tokens", f"{ME}/sign-ins", USERS, f"{USERS}?find=an", "/metrics", GROUPS):
        assert (await shop.itself.get(path)).status == 200, path
        assert (await shop.ask("customer-7", "GET", path)).status == 403, path
    refused = await shop.ask("customer-7", "POST", USER_TOKENS, b'{"user": "customer-8"}')
    assert refused.error["code"] == "scope_missing"


async def test_a_steward_sees_chats_of_its_end_users_and_does_not_speak_in_them(
    admin: Client, app: ASGIApp
) -> None:
    shop, other = await program(app, admin), await program(app, admin, "other")
    path = f"{CHATS}/{(await shop.start_chat('customer-7'))['id']}"
    said = {"content": [{"type": "text", "text": "in your name"}]}

    assert (await shop.itself.get(path)).status == 200
    assert (await shop.itself.patch(path, {"title": "Named"})).json["title"] == "Named"
    assert (await shop.itself.post(f"{path}/messages", said)).error["code"] == "not_permitted"
    assert (await other.itself.get(path)).status == 404
    assert (await other.ask("customer-7", "GET", path)).status == 404
    assert (await shop.itself.delete(path)).status == 204


@pytest.mark.parametrize("seconds", [59, 24 * 3600 + 1])
async def test_a_token_for_a_page_counts_from_a_minute_to_a_day(
    admin: Client, app: ASGIApp, seconds: int
) -> None:
    shop = await program(app, admin)

    assert (await shop.itself.post(USER_TOKENS, {"user": "c", "seconds": seconds})).status == 400
    scopes = await shop.itself.post(USER_TOKENS, {"user": "c", "scopes": ["account"]})
    assert scopes.status == 400


async def test_a_token_for_a_page_is_for_chats_and_files_and_ends(
    admin: Client, app: ASGIApp, clock: MovedClock, store: Store
) -> None:
    shop = await program(app, admin)
    made_token = await shop.itself.post(USER_TOKENS, {"user": "customer-7", "seconds": 60})
    page = Client(app, made_token.json["token"])

    chat = await page.start_chat()

    [end_user] = await shop.end_users()
    assert chat["owner_id"] == made_token.json["user_id"] == end_user["id"]
    for path in ("/api/v1/models", f"{ME}/tokens", f"{USERS}?find=an"):
        assert (await page.get(path)).error["code"] == "scope_missing"
    assert (await page.ask("GET", ME, headers={"x-chatd-user": "other"})).status == 403
    assert (await Client(app).post("/api/v1/auth/exchange", {"token": page.token})).status == 401
    await clock.advance(61)
    assert (await Client(build(store), page.token).get(CHATS)).error["code"] == "token_expired"


async def test_of_too_many_tokens_for_one_end_user_the_oldest_end(admin: Client, app: ASGIApp) -> None:
    shop = await program(app, admin)
    tokens = [(await shop.itself.post(USER_TOKENS, {"user": "c"})).json["token"] for _ in range(52)]

    answers = [(await Client(app, token).get(ME)).status for token in tokens]

    assert answers == [401] * 2 + [200] * 50


async def test_who_has_too_many_end_users_gets_no_more_until_one_is_deleted(
    admin: Client, app: ASGIApp
) -> None:
    shop = await program(app, admin, end_users_max=2)
    for named in ("a", "b", "a"):
        assert (await shop.ask(named, "GET", ME)).status == 200

    refused = await asyncio.gather(*(shop.ask(named, "GET", ME) for named in ("c", "d")))

    assert [(each.status, each.error["code"]) for each in refused] == [(403, "too_many_end_users")] * 2
    [first, _] = await shop.end_users()
    assert (await admin.delete(f"{USERS}/{first['id']}?chats=archive")).status == 204
    assert (await shop.ask("a", "GET", ME)).json["id"] != first["id"]
    # Then the first one is not brought back: somebody else is that customer now.
    assert (await admin.ask("POST", f"{USERS}/{first['id']}/restore")).error["code"] == "name_taken"


async def test_a_service_that_is_suspended_takes_its_end_users_along(admin: Client, app: ASGIApp) -> None:
    shop = await program(app, admin)
    token = (await shop.itself.post(USER_TOKENS, {"user": "customer-7"})).json["token"]
    page, path = Client(app, token), f"{USERS}/{shop.service['id']}"
    assert (await page.get(CHATS)).status == 200

    assert (await admin.ask("POST", f"{path}/suspend")).status == 200

    for answer in (await page.get(CHATS), await shop.itself.get(CHATS), await shop.ask("c", "GET", CHATS)):
        assert (answer.status, answer.error["code"]) == (401, "account_suspended")
    assert (await admin.ask("POST", f"{path}/activate")).status == 200
    assert (await page.get(CHATS)).status == 200
    assert (await admin.delete(f"{shop.path}?chats=archive")).status == 204
    assert (await page.get(CHATS)).status == 401
    assert (await admin.get(shop.path)).error["code"] == "service_not_found"


async def test_a_group_that_goes_leaves_its_services_nobody_to_speak_for(admin: Client, app: ASGIApp) -> None:
    group = await made(admin, "staff")
    bot = await program(app, admin, "bot", acts_for="group", group_id=group["id"])

    assert (await admin.delete(f"{GROUPS}/{group['id']}")).status == 204

    shown = (await admin.get(bot.path)).json
    assert (shown["acts_for"], shown["group_id"]) == ("nobody", None)


async def test_what_a_service_may_do_is_changed_by_administrators(admin: Client, app: ASGIApp) -> None:
    shop, group = await program(app, admin), await made(admin, "staff")

    changed = await admin.patch(shop.path, {"acts_for": "group", "group_id": group["id"], "role": "viewer"})

    assert (changed.json["acts_for"], changed.json["role"]) == ("group", UserRole.VIEWER)
    assert (await shop.ask("customer-7", "GET", ME)).error["code"] == "cannot_act_as"
    for wrong in ({"group_id": None}, {"acts_for": "nobody", "group_id": group["id"]}):
        assert (await admin.patch(shop.path, wrong)).error["field"] == "group_id"
    assert (await admin.patch(shop.path, {"acts_for": "nobody"})).json["group_id"] is None
    assert (await admin.patch(shop.path, {"acts_for": "group", "group_id": "no"})).status == 404


async def test_a_service_and_its_end_users_do_not_sign_in_and_have_no_other_role(
    admin: Client, app: ASGIApp
) -> None:
    shop = await program(app, admin)
    assert (await shop.ask("customer-7", "GET", ME)).status == 200
    [end_user] = await shop.end_users()

    for user_id in (shop.service["id"], end_user["id"]):
        refused = await admin.ask("POST", f"{USERS}/{user_id}/sign-in-link")
        assert (refused.status, refused.error["code"]) == (409, "not_a_person")
    refused = await admin.patch(f"{USERS}/{end_user['id']}", {"role": "admin"})
    assert (refused.status, refused.error["field"]) == (400, "role")


async def test_nothing_that_costs_is_done_for_end_users_of_a_suspended_service(
    admin: Client, app: ASGIApp, store: Store
) -> None:
    shop = await program(app, admin)
    chat = await shop.start_chat("customer-7")
    owner = UserId(chat["owner_id"])
    before = await is_shut_out(store.db, owner)

    assert (await admin.ask("POST", f"{USERS}/{shop.service['id']}/suspend")).status == 200

    assert (before, await is_shut_out(store.db, owner)) == (False, True)
    assert (await admin.get(f"{CHATS}/{chat['id']}")).json["status"] == "interrupting"


async def test_who_acts_and_for_whom_is_both_written_down(admin: Client, app: ASGIApp, store: Store) -> None:
    shop = await program(app, admin)
    chat = await shop.start_chat("customer-7")

    [row] = await read_audit(store.db, AuditFilter(target_id=chat["id"]), settled_micros=-1)

    assert (row.actor_id, row.on_behalf_of) == (shop.service["id"], chat["owner_id"])


async def test_a_stream_is_opened_for_somebody_too_and_ends_when_they_are_not_spoken_for_any_more(
    admin: Client, app: ASGIApp
) -> None:
    shop = await program(app, admin)
    chat, other = await shop.start_chat("customer-7"), await shop.start_chat("customer-8")
    told: asyncio.Queue[Message] = asyncio.Queue()
    incoming: asyncio.Queue[Message] = asyncio.Queue()

    async def watch(chat_id: str) -> None:
        await incoming.put({"type": "websocket.connect"})
        scope = {
            "type": "websocket",
            "path": f"{CHATS}/{chat_id}/stream",
            "raw_path": b"",
            "query_string": b"",
            "root_path": "",
            "scheme": "ws",
            "headers": [
                (b"authorization", f"Bearer {shop.token}".encode()),
                (b"x-chatd-user", b"customer-7"),
            ],
            "subprotocols": [],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
            "extensions": {"websocket.http.response": {}},
        }
        await app(scope, incoming.get, told.put)

    await watch(other["id"])
    refused = await told.get()
    assert (refused["type"], refused["status"]) == ("websocket.http.response.start", 404)
    while not told.empty():
        await told.get()
    while not incoming.empty():
        await incoming.get()

    watching = asyncio.ensure_future(watch(chat["id"]))
    assert (await told.get())["type"] == "websocket.accept"
    assert (await admin.patch(shop.path, {"acts_for": "nobody"})).status == 200
    while (last := await told.get())["type"] != "websocket.close":
        pass
    assert last["code"] == 1008
    await watching
