"""Tokens that users make for their programs."""

from typing import Any

from starlette.types import ASGIApp

from chatd.accounts.admin import FROM_FILE
from chatd.accounts.tokens.tokens import DAY_MICROS, TOKENS_MAX, create_token
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.domain.people.scopes import TokenScope
from chatd.kit.clock import rfc3339
from chatd.storage.queries import SqlEngine
from chatd.storage.transactions.transact import Store
from tests.api.accounts.test_signing_in import Browser
from tests.api.client import Client
from tests.clock import MovedClock
from tests.traceability import proves

TOKENS = "/api/v1/users/me/tokens"
ME = "/api/v1/users/me"


async def test_a_token_is_shown_once_works_and_is_revoked(client: Client, app: ASGIApp) -> None:
    made = (await client.post(TOKENS, {"name": " my  laptop "})).json
    program = Client(app, made["token"])

    assert (await program.get(ME)).status == 200
    listed = await client.get(TOKENS)
    assert made["token"].encode() not in listed.body
    kept = {name: made[name] for name in made if name not in ("token", "used_at")}
    assert kept in [{name: each[name] for name in kept} for each in listed.json["tokens"]]
    assert (made["name"], made["of_server"]) == ("my laptop", False)

    assert (await client.ask("DELETE", f"{TOKENS}/{made['id']}")).status == 204
    assert (await program.get(ME)).status == 401
    assert (await client.ask("DELETE", f"{TOKENS}/{made['id']}")).error["code"] == "token_not_found"


async def test_a_token_of_another_user_can_be_neither_seen_nor_revoked(client: Client, admin: Client) -> None:
    made = (await client.post(TOKENS, {"name": "mine"})).json

    assert made["id"] not in [each["id"] for each in (await admin.get(TOKENS)).json["tokens"]]
    assert (await admin.ask("DELETE", f"{TOKENS}/{made['id']}")).status == 404
    assert made["id"] in [each["id"] for each in (await client.get(TOKENS)).json["tokens"]]


async def test_the_token_of_the_server_itself_is_changed_on_its_machine_unless_others_share_its_database(
    client: Client, store: Store, owner: UserId
) -> None:
    await create_token(store.db, owner, FROM_FILE)
    found = next(each for each in (await client.get(TOKENS)).json["tokens"] if each["of_server"])
    path = f"{TOKENS}/{found['id']}"

    assert (await client.ask("POST", f"{path}/rotate")).error["code"] == "token_of_server"
    revoked = await client.delete(path)
    assert revoked.status == (409 if store.db.engine is SqlEngine.SQLITE else 204)
    for name in (FROM_FILE, "  ", "\u200b"):
        assert (await client.post(TOKENS, {"name": name})).error["field"] == "name"


async def test_a_user_has_so_many_tokens_and_no_more(client: Client) -> None:
    there = len((await client.get(TOKENS)).json["tokens"])
    for number in range(TOKENS_MAX - there):
        assert (await client.post(TOKENS, {"name": f"token {number}"})).status == 201

    assert (await client.post(TOKENS, {"name": "one more"})).error["code"] == "too_many_tokens"
    assert (await client.get(TOKENS)).status == 200


def scopes_of(token: Any) -> set[str]:
    return set(token["scopes"])


async def test_a_token_is_for_chatting_and_ends_after_ninety_days_unless_said_otherwise(
    client: Client, clock: MovedClock
) -> None:
    usual = (await client.post(TOKENS, {"name": "usual"})).json
    other = (await client.post(TOKENS, {"name": "other", "scopes": ["metrics:read"], "days": 1})).json

    assert scopes_of(usual) == {"chats:read", "chats:write", "files:write", "models:read"}
    assert usual["expires_at"] == rfc3339(clock.now_micros() + 90 * DAY_MICROS)
    assert scopes_of(other) == {"metrics:read"}
    assert other["expires_at"] == rfc3339(clock.now_micros() + DAY_MICROS)


@proves("people", 14)
async def test_a_token_makes_no_token_that_is_good_for_more_or_longer_than_itself(
    client: Client, app: ASGIApp
) -> None:
    chatting = Client(app, (await client.post(TOKENS, {"name": "chatting"})).json["token"])
    making = {"name": "making", "scopes": ["account", "chats:read"], "days": 2}
    maker = (await client.post(TOKENS, making)).json
    program = Client(app, maker["token"])

    assert (await chatting.post(TOKENS, {"name": "more"})).error["code"] == "scope_missing"
    refused = await program.post(TOKENS, {"name": "more", "scopes": ["chats:write"]})
    assert (refused.status, refused.error["code"]) == (403, "scope_missing")
    made = (await program.post(TOKENS, {"name": "less", "days": 300})).json
    assert scopes_of(made) == {"chats:read"}
    assert made["expires_at"] == maker["expires_at"]
    # Nor by giving another one a secret that it is shown.
    whole = (await client.post(TOKENS, {"name": "whole", "scopes": sorted(TokenScope)})).json
    stolen = await program.post(f"{TOKENS}/{whole['id']}/rotate", {})
    assert (stolen.status, stolen.error["code"]) == (403, "scope_missing")


@proves("people", 13)
async def test_after_a_rotation_both_secrets_count_and_then_one(
    client: Client, app: ASGIApp, clock: MovedClock, store: Store
) -> None:
    first = (await client.post(TOKENS, {"name": "rotated"})).json
    second = (await client.post(f"{TOKENS}/{first['id']}/rotate", {"old_seconds": 60})).json
    old, new = Client(app, first["token"]), Client(app, second["token"])

    assert (second["id"], second["shown"]) == (first["id"], second["token"][:10])
    assert [(await each.get(ME)).status for each in (old, new)] == [200, 200]
    await clock.advance(60)
    later = build(store)
    assert [(await Client(later, each.token).get(ME)).status for each in (old, new)] == [401, 200]


async def test_a_rotation_without_delay_ends_the_secret_of_before(client: Client, app: ASGIApp) -> None:
    first = (await client.post(TOKENS, {"name": "rotated"})).json
    old = Client(app, first["token"])
    assert (await old.get(ME)).status == 200

    second = (await client.post(f"{TOKENS}/{first['id']}/rotate", {})).json

    assert (await old.get(ME)).status == 401
    assert (await Client(app, second["token"]).get(ME)).status == 200


async def test_a_secret_from_before_a_rotation_is_outlived_by_nothing_that_it_lets_in(
    client: Client, app: ASGIApp
) -> None:
    """Somebody else may have it: that is what a rotation is for."""
    first = (await client.post(TOKENS, {"name": "rotated", "scopes": ["account", "chats:read"]})).json
    before, during, after = Browser(app), Browser(app), Browser(app)
    assert (await before.exchange(token=first["token"])).status == 200
    second = (await client.post(f"{TOKENS}/{first['id']}/rotate", {"old_seconds": 3600})).json
    old = Client(app, first["token"])

    assert (await before.ask("GET", ME)).status == 401
    assert (await during.exchange(token=first["token"])).status == 401
    assert (await after.exchange(token=second["token"])).status == 200
    made = (await old.post(TOKENS, {"name": "made with it", "scopes": ["chats:read"]})).json
    assert made["expires_at"] == second["old_until"]
    by_new = await Client(app, second["token"]).post(TOKENS, {"name": "later", "scopes": ["chats:read"]})
    assert by_new.json["expires_at"] == second["expires_at"]


async def test_a_token_that_has_ended_says_so_and_takes_no_room(
    client: Client, clock: MovedClock, store: Store
) -> None:
    made = (await client.post(TOKENS, {"name": "short", "days": 1})).json
    await clock.advance(24 * 3600)

    refused = await Client(build(store), made["token"]).get(ME)

    assert (refused.status, refused.error["code"]) == (401, "token_expired")
    assert made["id"] in [each["id"] for each in (await client.get(TOKENS)).json["tokens"]]
    await client.post(TOKENS, {"name": "another"})
    assert made["id"] not in [each["id"] for each in (await client.get(TOKENS)).json["tokens"]]


async def test_the_last_use_of_a_token_is_noted_to_about_an_hour(
    client: Client, app: ASGIApp, clock: MovedClock
) -> None:
    made = (await client.post(TOKENS, {"name": "used"})).json
    assert made["used_at"] is None

    await Client(app, made["token"]).get(ME)

    used = [each["used_at"] for each in (await client.get(TOKENS)).json["tokens"] if each["id"] == made["id"]]
    assert used == [rfc3339(clock.now_micros())]


async def test_a_browser_that_signs_in_with_a_token_may_do_what_the_token_may(
    client: Client, anonymous: Client, clock: MovedClock, store: Store
) -> None:
    made = (await client.post(TOKENS, {"name": "for a page", "days": 1})).json
    signed_in = await anonymous.post("/api/v1/auth/exchange", {"token": made["token"]})
    cookie = {"cookie": signed_in.headers["set-cookie"].partition(";")[0]}

    assert (await anonymous.ask("GET", "/api/v1/chats", headers=cookie)).status == 200
    assert (await anonymous.ask("GET", TOKENS, headers=cookie)).error["code"] == "scope_missing"
    await clock.advance(24 * 3600)
    assert (await Client(build(store)).ask("GET", "/api/v1/chats", headers=cookie)).status == 401
