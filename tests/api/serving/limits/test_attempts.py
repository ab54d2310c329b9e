"""Callers who are not known: what is done for them from one address, and who gets past them."""

import asyncio
import json

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.api.failures import TooManyRequests
from chatd.api.serving.limits.admission import REQUEST_LIMITS, RequestLimits
from chatd.api.serving.limits.attempts import PAUSE_SECONDS, Attempt, Attempts
from chatd.api.serving.limits.rate import Rate
from chatd.api.serving.origins.sites import Sites
from chatd.api.serving.proxies.forwarded import TrustedProxies
from chatd.domain.ids import UserId
from chatd.domain.people.rates import Limit
from chatd.kit.networks import network_in
from chatd.live.live import Live
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Answer, Client
from tests.api.websockets import opened
from tests.clock import HurriedClock, MovedClock
from tests.support.watched_database import WatchedDatabase

TWO = RequestLimits(wrong_tokens_per_minute=2)
TRUSTED = TrustedProxies((network_in("10.0.0.0/8"),))
PAGE = {"host": "chatd.test", "origin": "http://chatd.test"}


def served(store: Store, clock: HurriedClock | None = None, *, sites: Sites | None = None) -> ASGIApp:
    """Two wrong tokens in a minute, which never goes by; who is refused does not wait in these tests."""
    live = Live(store, clock or HurriedClock())
    return build(store, live, limits=TWO, sites=sites or Sites(), now_seconds=lambda: 0.0)


async def guess(app: ASGIApp, times: int, *, address: str = "127.0.0.1", **headers: str) -> list[Answer]:
    """With another wrong token each time."""
    client = Client(app, address=address)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return [
        await client.ask("GET", CHATS, headers={"authorization": f"Bearer guess-{n}", **sent})
        for n in range(times)
    ]


def statuses(answers: list[Answer]) -> list[int]:
    return [answer.status for answer in answers]


def test_300_wrong_tokens_may_come_from_one_address_in_a_minute() -> None:
    assert REQUEST_LIMITS.wrong_tokens_per_minute == 300


async def test_beyond_so_many_wrong_tokens_nothing_is_looked_up(store: Store) -> None:
    db = WatchedDatabase(store.db)
    app = served(Store(db, store.hints))

    answers = await guess(app, 5)

    assert statuses(answers) == [401, 401, 429, 429, 429]
    assert answers[2].error["code"] == "too_many_requests"
    assert answers[2].headers["retry-after"] == "30"
    assert db.reads == 2


async def test_beyond_so_many_requests_without_a_token_they_are_refused(store: Store) -> None:
    app = served(store)
    nobody, malformed = Client(app), {"authorization": "Basic eHg6eHg="}

    answers = [await nobody.get(CHATS), await nobody.ask("GET", CHATS, headers=malformed)]
    answers += [await nobody.get(CHATS), await nobody.ask("GET", CHATS, headers=malformed)]

    assert statuses(answers) == [401, 401, 429, 429]


async def test_wrong_tokens_are_not_in_the_way_of_who_has_none_yet(store: Store) -> None:
    app = served(store)
    await guess(app, 3)

    assert (await Client(app).get("/api/v1/users/me")).status == 401


async def test_wrong_cookies_count_as_wrong_tokens(store: Store) -> None:
    client = Client(served(store))

    answers = [
        await client.ask("GET", CHATS, headers={**PAGE, "cookie": f"chatd=guess-{n}"}) for n in range(3)
    ]

    assert statuses(answers) == [401, 401, 429]


async def test_a_wrong_token_for_a_websocket_counts_too(store: Store) -> None:
    app = served(store)
    await guess(app, 2)

    begun = await opened(app, f"{CHATS}/some/stream", "guess", {"host": "127.0.0.1"})

    assert begun["status"] == 429


async def test_a_token_that_was_good_lately_works_whatever_else_comes_from_its_address(
    store: Store, owner: UserId
) -> None:
    app = served(store)
    client = Client(app, await create_token(store.db, owner, "test"))
    assert (await client.get(CHATS)).status == 200
    await guess(app, 3)

    assert (await client.get(CHATS)).status == 200
    assert statuses(await guess(app, 1)) == [429]


async def test_good_tokens_do_not_count_however_many_are_new(store: Store, owner: UserId) -> None:
    app = served(store)
    tokens = [await create_token(store.db, owner, f"test-{n}") for n in range(5)]

    answers = [await Client(app, token).get(CHATS) for token in tokens]

    assert statuses(answers) == [200] * 5


async def test_a_token_and_a_cookie_that_were_made_just_now_work_at_once(store: Store, owner: UserId) -> None:
    app = served(store)
    client = Client(app, await create_token(store.db, owner, "test"))
    assert (await client.get(CHATS)).status == 200
    await guess(app, 3)

    made = (await client.post("/api/v1/users/me/tokens", {"name": "new"})).json["token"]
    exchange = json.dumps({"token": made}).encode()
    signed_in = await Client(app).ask("POST", "/api/v1/auth/exchange", exchange, headers=PAGE)
    cookie = signed_in.headers["set-cookie"].partition(";")[0]

    assert (await Client(app, made).get(CHATS)).status == 200
    assert (await Client(app).ask("GET", CHATS, headers={**PAGE, "cookie": cookie})).status == 200


async def test_a_token_that_was_withdrawn_is_looked_up_once_more_and_then_is_like_any_other(
    store: Store, owner: UserId
) -> None:
    app = build(store, Live(store, HurriedClock()), limits=TWO)
    client = Client(app, await create_token(store.db, owner, "test"))
    mine = (await client.post("/api/v1/users/me/tokens", {"name": "new"})).json
    await guess(app, 3)
    await client.delete(f"/api/v1/users/me/tokens/{mine['id']}")

    other = Client(app, mine["token"])

    assert statuses([await other.get(CHATS), await other.get(CHATS)]) == [401, 429]


async def test_what_anyone_may_ask_for_is_answered(store: Store) -> None:
    app = served(store)
    await guess(app, 3)
    nobody = Client(app)
    assert statuses([await nobody.get(CHATS) for _ in range(3)]) == [401, 401, 429]

    for path in ("/healthz", "/readyz", "/api/v1/auth/methods", "/api/v1/openapi.json"):
        assert (await nobody.get(path)).status == 200, path


async def test_addresses_are_counted_apart_and_a_network_of_ipv6_is_one(store: Store) -> None:
    app = served(store)

    assert statuses(await guess(app, 2, address="2001:db8::1")) == [401, 401]
    assert statuses(await guess(app, 1, address="2001:db8::2")) == [429]
    assert statuses(await guess(app, 1, address="2001:db8:0:1::1")) == [401]
    assert statuses(await guess(app, 1, address="192.0.2.9")) == [401]


async def test_the_address_is_the_one_that_a_trusted_proxy_tells(store: Store) -> None:
    app = served(store, sites=Sites(proxies=TRUSTED))

    first = await guess(app, 3, address="10.0.0.1", x_forwarded_for="198.51.100.7")
    other = await guess(app, 1, address="10.0.0.1", x_forwarded_for="198.51.100.8")
    forged = await guess(app, 3, address="192.0.2.9", x_forwarded_for="198.51.100.9")

    assert statuses(first) == [401, 401, 429]
    assert statuses(other) == [401]
    assert statuses(forged) == [401, 401, 429]


async def test_who_is_refused_is_told_so_after_a_pause(store: Store) -> None:
    clock = HurriedClock()
    app = served(store, clock)

    await guess(app, 2)
    assert clock.slept == []
    await guess(app, 2)
    assert clock.slept == [PAUSE_SECONDS] * 2


async def test_only_so_many_wait_to_be_refused_and_the_others_are_at_once(clock: MovedClock) -> None:
    attempts = Attempts(TWO, lambda: 0.0, clock.sleep, paused_max=1)
    for _ in range(2):
        attempts.failed(Attempt.WRONG, "192.0.2.9")
    waiting = asyncio.create_task(attempts.check(Attempt.WRONG, "192.0.2.9"))
    await asyncio.sleep(0)

    with pytest.raises(TooManyRequests):
        await attempts.check(Attempt.WRONG, "192.0.2.9")
    assert not waiting.done()

    await clock.advance(PAUSE_SECONDS)
    with pytest.raises(TooManyRequests):
        await waiting


def test_of_good_secrets_only_those_that_were_shown_last_are_remembered() -> None:
    attempts = Attempts(TWO, lambda: 0.0, HurriedClock().sleep, good_max=2)
    for secret in ("a", "b", "a", "c"):
        attempts.succeeded(secret)

    assert [attempts.was_good(each) for each in ("a", "b", "c")] == [True, False, True]


def test_those_that_were_looked_up_at_once_count_each_and_the_next_waits_for_all_of_them() -> None:
    now = 0.0
    rate, limit = Rate(lambda: now), Limit("somebody", 60)
    for _ in range(90):
        rate.check(Limit("somebody", 60))
    for _ in range(90):
        rate.count(limit)

    now = 30.0
    with pytest.raises(TooManyRequests):
        rate.check(limit)
    now = 31.0
    rate.check(limit)
    # However many they were, it takes no longer than two minutes to be full again.
    for _ in range(10_000):
        rate.count(limit)
    now = 31.0 + 61
    rate.check(limit)
