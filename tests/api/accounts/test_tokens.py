"""Tokens that users make for their programs."""

from starlette.types import ASGIApp

from chatd.accounts.admin import FROM_FILE
from chatd.accounts.tokens import TOKENS_MAX, create_token
from chatd.domain.ids import UserId
from chatd.storage.transactions.transact import Store
from tests.api.client import Client

TOKENS = "/api/v1/users/me/tokens"
ME = "/api/v1/users/me"


async def test_a_token_is_shown_once_works_and_is_revoked(client: Client, app: ASGIApp) -> None:
    made = (await client.post(TOKENS, {"name": " my  laptop "})).json
    program = Client(app, made["token"])

    assert (await program.get(ME)).status == 200
    listed = await client.get(TOKENS)
    assert made["token"].encode() not in listed.body
    assert {name: made[name] for name in ("id", "name", "created_at", "of_server")} in listed.json["tokens"]
    assert (made["name"], made["of_server"]) == ("my laptop", False)

    assert (await client.ask("DELETE", f"{TOKENS}/{made['id']}")).status == 204
    assert (await program.get(ME)).status == 401
    assert (await client.ask("DELETE", f"{TOKENS}/{made['id']}")).error["code"] == "token_not_found"


async def test_a_token_of_another_user_can_be_neither_seen_nor_revoked(client: Client, admin: Client) -> None:
    made = (await client.post(TOKENS, {"name": "mine"})).json

    assert made["id"] not in [each["id"] for each in (await admin.get(TOKENS)).json["tokens"]]
    assert (await admin.ask("DELETE", f"{TOKENS}/{made['id']}")).status == 404
    assert made["id"] in [each["id"] for each in (await client.get(TOKENS)).json["tokens"]]


async def test_the_token_of_the_server_itself_is_changed_on_its_machine(
    client: Client, store: Store, owner: UserId
) -> None:
    await create_token(store.db, owner, FROM_FILE)
    found = next(each for each in (await client.get(TOKENS)).json["tokens"] if each["of_server"])

    assert (await client.ask("DELETE", f"{TOKENS}/{found['id']}")).error["code"] == "token_of_server"
    for name in (FROM_FILE, "  ", "\u200b"):
        assert (await client.post(TOKENS, {"name": name})).error["field"] == "name"


async def test_a_user_has_so_many_tokens_and_no_more(client: Client) -> None:
    there = len((await client.get(TOKENS)).json["tokens"])
    for number in range(TOKENS_MAX - there):
        assert (await client.post(TOKENS, {"name": f"token {number}"})).status == 201

    assert (await client.post(TOKENS, {"name": "one more"})).error["code"] == "too_many_tokens"
    assert (await client.get(TOKENS)).status == 200
