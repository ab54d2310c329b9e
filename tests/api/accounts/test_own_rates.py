"""Limits that a service or a token has of its own, and whose requests count for them."""

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.storage.transactions.transact import Store
from tests.api.accounts.test_services import USER_TOKENS, program
from tests.api.client import CHATS, Answer, Client
from tests.traceability import proves

TOKENS = "/api/v1/users/me/tokens"


class Time:
    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def app(store: Store) -> ASGIApp:
    return build(store, now_seconds=Time())


def left_in(answer: Answer) -> tuple[str, str]:
    return answer.headers["ratelimit-limit"], answer.headers["ratelimit-remaining"]


@proves("people", 83)
async def test_of_a_service_and_its_end_user_both_buckets_count(app: ASGIApp, admin: Client) -> None:
    shop = await program(app, admin, rates={"requests": 125})

    first = [await shop.ask("ann", "GET", CHATS) for _ in range(121)]
    other = [await shop.ask("bob", "GET", CHATS) for _ in range(6)]
    itself = await shop.ask(None, "GET", CHATS)

    # Ann has used up what is hers, and the request that was refused took nothing from the service.
    assert [each.status for each in first] == [200] * 120 + [429]
    assert left_in(first[0]) == ("120", "119")
    assert left_in(first[-1]) == ("120", "0")
    # Bob has hardly begun, and there is nothing left of what is the service's.
    assert [each.status for each in other] == [200] * 5 + [429]
    assert left_in(other[-1]) == ("125", "0")
    assert itself.status == 429


async def test_a_token_that_a_service_makes_for_somebody_counts_for_both(app: ASGIApp, admin: Client) -> None:
    shop = await program(app, admin, rates={"requests": 3})
    made = await shop.itself.post(USER_TOKENS, {"user": "ann"})
    page = Client(app, made.json["token"])

    assert left_in(await page.get(CHATS)) == ("3", "1")
    assert left_in(await shop.ask(None, "GET", CHATS)) == ("3", "0")
    assert (await page.get(CHATS)).status == 429


async def test_administrators_change_the_limits_of_a_service(app: ASGIApp, admin: Client) -> None:
    shop = await program(app, admin)
    assert left_in(await shop.itself.get(CHATS)) == ("3000", "2999")
    assert shop.service["rates"] is None

    changed = await admin.patch(shop.path, {"rates": {"requests": 9000, "turns": 700}})

    assert changed.json["rates"] == {"requests": 9000, "turns": 700}
    # As full as before.
    assert left_in(await shop.itself.get(CHATS)) == ("9000", "8996")
    assert (await admin.patch(shop.path, {"rates": None})).json["rates"] is None
    assert left_in(await shop.itself.get(CHATS))[0] == "3000"
    assert (await admin.patch(shop.path, {"rates": {"requests": 0}})).status == 400


async def test_a_token_may_be_used_less_often_than_its_user_and_never_makes_one_that_may_more_often(
    store: Store, app: ASGIApp
) -> None:
    anna = await create_user(store.db, "anna", UserRole.MEMBER)
    client = Client(app, await create_token(store.db, anna.id, "test"))
    made = await client.post(TOKENS, {"name": "a", "scopes": ["account"], "rates": {"requests": 5}})
    slow = Client(app, made.json["token"])
    assert made.json["rates"] == {"requests": 5}

    more = await slow.post(
        TOKENS, {"name": "b", "rates": {"requests": 100, "turns": 2}, "scopes": ["account"]}
    )

    assert more.json["rates"] == {"requests": 5, "turns": 2}
    assert [(await slow.get(TOKENS)).status for _ in range(5)] == [200] * 4 + [429]
    assert (await client.get(TOKENS)).status == 200


async def test_a_browser_that_signed_in_with_a_token_has_the_limits_of_the_token(
    store: Store, app: ASGIApp, owner: UserId
) -> None:
    client = Client(app, await create_token(store.db, owner, "test"))
    made = await client.post(TOKENS, {"name": "a", "rates": {"requests": 2}})
    signed_in = await Client(app).post("/api/v1/auth/exchange", {"token": made.json["token"]})
    cookie = signed_in.headers["set-cookie"].partition(";")[0]

    answers = [await Client(app).ask("GET", CHATS, headers={"cookie": cookie}) for _ in range(3)]

    assert [each.status for each in answers] == [200, 200, 429]
