"""Users, as administrators see and change them, and what that means for who is changed."""

import asyncio
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.lives.lives import UserChange, change_user
from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import NotAllowed
from chatd.storage.database import Database
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.clock import MovedClock
from tests.traceability import proves

USERS = "/api/v1/users"
ME = "/api/v1/users/me"


async def added(admin: Client, name: str = "anna", **fields: object) -> Any:
    answer = await admin.post(USERS, {"name": name, **fields})
    assert answer.status == 201, answer.body
    return answer.json


async def signed_in(app: ASGIApp, code: str) -> dict[str, str]:
    answer = await Client(app).post("/api/v1/auth/exchange", {"code": code})
    assert answer.status == 200, answer.body
    return {"cookie": answer.headers["set-cookie"].partition(";")[0], "sec-fetch-site": "same-origin"}


async def program_of(app: ASGIApp, store: Store, user: Any) -> Client:
    return Client(app, await create_token(store.db, UserId(user["id"]), "program"))


async def test_somebody_who_is_invited_signs_in_and_makes_a_token(admin: Client, app: ASGIApp) -> None:
    made = await added(admin, role="auditor", display_name="Anna Arendt")
    browser = await signed_in(app, made["code"])

    me = await Client(app).ask("GET", ME, headers=browser)

    assert (me.json["name"], me.json["role"]) == ("anna", "auditor")
    token = await Client(app).ask("POST", f"{ME}/tokens", b'{"name": "mine"}', headers=browser)
    assert (await Client(app, token.json["token"]).start_chat())["owner_id"] == made["id"]
    shown = (await admin.get(f"{USERS}/{made['id']}")).json
    assert shown == {name: made[name] for name in made if name != "code"}


async def test_administrators_see_where_a_user_is_signed_in_and_sign_one_browser_out(
    admin: Client, stranger: Client, app: ASGIApp
) -> None:
    anna = await added(admin)
    path = f"{USERS}/{anna['id']}"
    browsers = [
        await signed_in(app, code)
        for code in (anna["code"], (await admin.post(f"{path}/sign-in-link", {})).json["code"])
    ]

    async def is_in(browser: dict[str, str]) -> bool:
        return (await Client(app).ask("GET", ME, headers=browser)).status == 200

    listed = (await admin.get(f"{path}/sign-ins")).json["sign_ins"]
    own = (await Client(app).ask("GET", f"{ME}/sign-ins", headers=browsers[0])).json["sign_ins"]
    assert [each["id"] for each in listed] == [each["id"] for each in own]
    assert [each["current"] for each in listed] == [False, False]
    [first] = [each["id"] for each in own if each["current"]]
    assert (await stranger.get(f"{path}/sign-ins")).status == 403
    assert (await stranger.delete(f"{path}/sign-ins/{first}")).status == 403

    assert (await admin.delete(f"{path}/sign-ins/{first}")).status == 204

    assert [await is_in(each) for each in browsers] == [False, True]
    assert (await admin.delete(f"{path}/sign-ins/{first}")).error["code"] == "sign_in_not_found"
    other = (await added(admin, "berta"))["id"]
    [second] = (await admin.get(f"{path}/sign-ins")).json["sign_ins"]
    assert (await admin.delete(f"{USERS}/{other}/sign-ins/{second['id']}")).status == 404
    assert await is_in(browsers[1])


async def test_users_are_listed_by_name_a_page_at_a_time(admin: Client, stranger: Client) -> None:
    for name in ("Berta", "anna", "50%"):
        await added(admin, name, invite=False)

    everybody = (await admin.get(USERS)).json["users"]
    first = (await admin.get(USERS, limit=2)).json
    rest = (await admin.get(USERS, after=first["next"])).json

    assert [each["name"] for each in everybody] == ["50%", "anna", "Berta", "owner", "root", "stranger"]
    assert first["users"] + rest["users"] == everybody
    assert [each["name"] for each in (await admin.get(USERS, q="BER")).json["users"]] == ["Berta"]
    assert [each["name"] for each in (await admin.get(USERS, q="%")).json["users"]] == ["50%"]
    assert [each["name"] for each in (await admin.get(USERS, role="admin")).json["users"]] == ["root"]
    assert (await stranger.get(USERS)).status == 403


async def test_a_name_that_is_taken_is_refused(admin: Client) -> None:
    refused = await admin.post(USERS, {"name": "ROOT"})

    assert (refused.status, refused.error["code"]) == (409, "name_taken")


async def test_who_is_suspended_is_let_in_by_nothing_until_they_are_activated(
    admin: Client, app: ASGIApp, store: Store
) -> None:
    anna = await added(admin)
    browser, program = await signed_in(app, anna["code"]), await program_of(app, store, anna)
    path = f"{USERS}/{anna['id']}"
    link = (await admin.ask("POST", f"{path}/sign-in-link")).json["code"]
    assert (await program.get(ME)).status == 200

    suspended = await admin.ask("POST", f"{path}/suspend")

    assert suspended.json["suspended_at"] is not None
    refused = await program.get(ME)
    assert (refused.status, refused.error["code"]) == (401, "account_suspended")
    assert (await Client(app).ask("GET", ME, headers=browser)).status == 401
    assert (await Client(app).post("/api/v1/auth/exchange", {"code": link})).status == 401
    assert (await Client(app).post("/api/v1/auth/exchange", {"token": program.token})).status == 401
    assert (await admin.ask("POST", f"{path}/activate")).json["suspended_at"] is None
    assert (await program.get(ME)).status == 200
    # Browsers have to sign in again.
    assert (await Client(app).ask("GET", ME, headers=browser)).status == 401


async def test_a_deleted_user_is_gone_with_their_ways_in_and_comes_back_within_two_weeks(
    admin: Client, app: ASGIApp, store: Store
) -> None:
    anna = await added(admin)
    program = await program_of(app, store, anna)
    path = f"{USERS}/{anna['id']}"

    assert (await admin.delete(path)).error["code"] == "choice_needed"
    assert (await admin.delete(f"{path}?chats=archive")).status == 204

    assert (await program.get(ME)).status == 401
    assert (await admin.get(path)).status == 404
    other = await added(admin, "Anna")
    taken = await admin.ask("POST", f"{path}/restore")
    assert (taken.status, taken.error["code"]) == (409, "name_taken")
    assert (await admin.delete(f"{USERS}/{other['id']}?chats=archive")).status == 204
    assert (await admin.ask("POST", f"{path}/restore")).json["name"] == "anna"
    assert (await program.get(ME)).status == 401


async def test_after_two_weeks_nobody_comes_back(admin: Client, clock: MovedClock) -> None:
    anna = await added(admin)
    await admin.delete(f"{USERS}/{anna['id']}?chats=archive")

    await clock.advance(14 * 24 * 3600)

    assert (await admin.ask("POST", f"{USERS}/{anna['id']}/restore")).status == 404


async def test_who_is_deleted_has_their_agents_stopped_and_their_chats_as_somebody_chose(
    admin: Client, app: ASGIApp, store: Store
) -> None:
    anna = await added(admin)
    program = await program_of(app, store, anna)
    working, resting = [await program.start_chat() for _ in range(2)]
    await transact(store, ChatId(resting["id"]), Interrupt(), FinishInterruption())

    assert (await admin.delete(f"{USERS}/{anna['id']}?chats=archive")).status == 204

    assert (await admin.get(f"{CHATS}/{working['id']}")).json["status"] == "interrupting"
    assert (await admin.get(f"{CHATS}/{resting['id']}")).json["archived"] is True


async def test_administrators_see_and_revoke_tokens_of_others(
    admin: Client, app: ASGIApp, store: Store
) -> None:
    anna = await added(admin)
    program = await program_of(app, store, anna)
    path = f"{USERS}/{anna['id']}/tokens"
    (token,) = (await admin.get(path)).json["tokens"]
    assert token["name"] == "program"
    assert (await program.get(ME)).status == 200

    assert (await admin.delete(f"{path}/{token['id']}")).status == 204

    assert (await program.get(ME)).status == 401
    assert (await admin.delete(f"{path}/{token['id']}")).status == 404


async def test_who_is_no_administrator_any_more_sees_no_chats_of_others(
    admin: Client, client: Client, app: ASGIApp, store: Store
) -> None:
    berta = await added(admin, "berta", role="admin")
    program = await program_of(app, store, berta)
    chat = await client.start_chat()
    assert (await program.get(f"{CHATS}/{chat['id']}")).status == 200

    assert (await admin.patch(f"{USERS}/{berta['id']}", {"role": "member"})).json["role"] == "member"

    assert (await program.get(f"{CHATS}/{chat['id']}")).status == 404


async def test_agents_of_who_may_only_view_from_now_on_stop(
    admin: Client, app: ASGIApp, store: Store
) -> None:
    anna = await added(admin)
    chat = await (await program_of(app, store, anna)).start_chat()

    await admin.patch(f"{USERS}/{anna['id']}", {"role": "viewer"})

    assert (await admin.get(f"{CHATS}/{chat['id']}")).json["status"] == "interrupting"


@pytest.mark.parametrize("deed", ["suspend", "demote", "delete"])
async def test_the_last_administrator_stays(admin: Client, deed: str) -> None:
    path = f"{USERS}/{(await admin.get(ME)).json['id']}"

    match deed:
        case "suspend":
            refused = await admin.ask("POST", f"{path}/suspend")
        case "demote":
            refused = await admin.patch(path, {"role": "auditor"})
        case _:
            refused = await admin.delete(f"{path}?chats=archive")

    assert (refused.status, refused.error["code"]) == (409, "last_admin")
    assert (await admin.get(ME)).json["role"] == "admin"


@proves("people", 25)
async def test_of_the_last_two_administrators_who_give_it_up_one_is_refused(database: Database) -> None:
    users = [await create_user(database, name, UserRole.ADMIN) for name in ("anna", "berta")]
    member = UserChange(role=UserRole.MEMBER)

    done = await asyncio.gather(
        *(change_user(database, user.id, member) for user in users), return_exceptions=True
    )

    (refused,) = [each for each in done if isinstance(each, BaseException)]
    assert isinstance(refused, NotAllowed)
    assert refused.code == "last_admin"


async def test_pages_are_told_what_their_user_may_do(
    admin: Client, client: Client, stranger: Client, store: Store, owner: UserId
) -> None:
    chat = await client.start_chat()
    reading = Client(build(store), await create_token(store.db, owner, "reading", scopes=frozenset()))

    async def deeds(who: Client, **query: str) -> set[str]:
        return set((await who.get("/api/v1/permits", **query)).json["deeds"])

    assert {"chat.create", "account.own"} <= await deeds(client)
    assert "people.change" not in await deeds(client)
    assert "people.change" in await deeds(admin)
    assert await deeds(reading) == {"account.see"}
    assert {"chat.read", "chat.speak"} <= await deeds(client, chat=chat["id"])
    assert "chat.speak" not in await deeds(admin, chat=chat["id"])
    assert (await stranger.get("/api/v1/permits", chat=chat["id"])).status == 404
