"""Signing in with a password over HTTP, where the settings allow it."""

import json
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import Wanted as WantedToken
from chatd.accounts.tokens.tokens import add_token, create_token
from chatd.accounts.ways_in.passwords.hashing import Passwords
from chatd.accounts.ways_in.ways import WaysIn
from chatd.api.app import build
from chatd.api.serving.limits.admission import RequestLimits
from chatd.domain.ids import UserId
from chatd.domain.people.scopes import ALL_SCOPES, TokenScope
from chatd.storage.transactions.transact import Store
from tests.api.client import Answer, Client

ME, PASSWORD, METHODS = "/api/v1/users/me", "/api/v1/auth/password", "/api/v1/auth/methods"
GOOD, OTHER = "a ladder of green tea", "nine clouds over Ghent"
PAGE = {"host": "127.0.0.1:8787", "sec-fetch-site": "same-origin"}


@pytest.fixture
def app(store: Store) -> ASGIApp:
    return build(store, ways=WaysIn(passwords=Passwords()))


@pytest.fixture
async def owning(app: ASGIApp, store: Store, owner: UserId) -> Client:
    return Client(app, await create_token(store.db, owner, "test"))


async def choose(client: Client, **password: Any) -> Answer:
    return await client.patch(ME, {"password": password})


async def enter(app: ASGIApp, password: str, **headers: str) -> Answer:
    body = json.dumps({"name": "owner", "password": password}).encode()
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return await Client(app).ask("POST", PASSWORD, body, headers=PAGE | more)


async def test_where_passwords_are_off_nobody_chooses_one_or_signs_in_with_one(
    client: Client, anonymous: Client, store: Store
) -> None:
    usual = build(store)

    assert (await Client(usual).get(METHODS)).json["methods"] == ["link", "token"]
    assert (await enter(usual, GOOD)).error["code"] == "way_is_off"
    mine = Client(usual, client.token)
    assert (await choose(mine, new=GOOD)).error["code"] == "way_is_off"
    assert (await mine.get(ME)).json["has_password"] is None


async def test_who_has_chosen_a_password_signs_in_with_it(app: ASGIApp, owning: Client) -> None:
    assert (await Client(app).get(METHODS)).json["methods"] == ["link", "token", "password"]
    assert (await owning.get(ME)).json["has_password"] is False

    assert (await choose(owning, new=GOOD)).status == 200
    assert (await owning.get(ME)).json["has_password"] is True

    answer = await enter(app, GOOD)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert answer.json["name"] == "owner"
    assert (await Client(app).ask("GET", ME, headers={"cookie": cookie})).json == answer.json
    (sign_in,) = (await Client(app).ask("GET", f"{ME}/sign-ins", headers={"cookie": cookie})).json["sign_ins"]
    assert sign_in["method"] == "password"


async def test_a_wrong_password_is_refused_and_sets_no_cookie(app: ASGIApp, owning: Client) -> None:
    await choose(owning, new=GOOD)

    answer = await enter(app, OTHER)

    assert answer.error["code"] == "unauthenticated"
    assert "set-cookie" not in answer.headers


async def test_after_five_failures_the_answer_says_how_long_to_wait(app: ASGIApp, owning: Client) -> None:
    await choose(owning, new=GOOD)
    assert [(await enter(app, OTHER)).status for _ in range(5)] == [401] * 5

    answer = await enter(app, GOOD)

    assert (answer.status, answer.error["code"]) == (429, "too_many_tries")
    assert int(answer.headers["retry-after"]) in range(1, 61)


async def test_those_who_guess_are_counted_by_their_address(store: Store) -> None:
    app = build(store, ways=WaysIn(passwords=Passwords()), limits=RequestLimits(sign_ins_per_minute=2))

    assert [(await enter(app, OTHER)).status for _ in range(3)] == [401, 401, 429]


async def test_a_page_of_others_signs_nobody_in(app: ASGIApp, owning: Client) -> None:
    await choose(owning, new=GOOD)

    assert (await enter(app, GOOD, sec_fetch_site="cross-site")).error["code"] == "cross_site"


async def test_choosing_another_one_needs_the_old_one(app: ASGIApp, owning: Client) -> None:
    await choose(owning, new=GOOD)

    refused = [await choose(owning, new=OTHER), await choose(owning, new=OTHER, old="something else")]
    assert [(each.status, each.error["code"]) for each in refused] == [(400, "wrong_password")] * 2

    assert (await choose(owning, new=OTHER, old=GOOD)).status == 200
    assert (await enter(app, OTHER)).status == 200


async def test_what_cannot_be_a_password_is_said(owning: Client) -> None:
    for unfit in ("short", "1qaz2wsx3edc", "x" * 1025):
        error = (await choose(owning, new=unfit)).error
        assert (error["code"], error["field"]) == ("bad_password", "password.new")
        assert unfit not in json.dumps(error)


async def test_a_token_for_less_than_everything_chooses_no_password(
    app: ASGIApp, store: Store, owner: UserId
) -> None:
    narrow = await create_token(store.db, owner, "narrow", scopes=frozenset({TokenScope.ACCOUNT}))
    ending, _ = await add_token(store.db, owner, WantedToken(name="ending", scopes=ALL_SCOPES))

    for token in (narrow, ending):
        assert (await choose(Client(app, token), new=GOOD)).error["code"] == "scope_missing"


async def test_people_change_their_display_name_and_administrators_take_passwords_away(
    app: ASGIApp, owning: Client, admin: Client
) -> None:
    assert (await owning.patch(ME, {"display_name": "The owner"})).status == 200
    assert (await owning.patch(ME, {"display_name": "a\u0000b"})).error["code"] == "bad_value"
    assert (await owning.patch(ME, {})).error["code"] == "nothing_to_change"
    await choose(owning, new=GOOD)

    changed = await admin.patch("/api/v1/users/owner", {"password": None, "email": "owner@example.org"})

    assert (changed.json["display_name"], changed.json["email"]) == ("The owner", "owner@example.org")
    assert (await enter(app, GOOD)).status == 401
    assert (await admin.patch("/api/v1/users/owner", {"password": GOOD})).status == 400
    assert (await admin.patch("/api/v1/users/owner", {"email": "nonsense"})).status == 400
    assert (await admin.patch("/api/v1/users/owner", {"email": None})).json["email"] is None
