"""How many requests a user may make."""

from collections import Counter

import pytest

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.api.failures import TooManyRequests
from chatd.api.serving.limits.admission import REQUEST_LIMITS, RequestLimits
from chatd.api.serving.limits.rate import Left, Rate, Tally
from chatd.domain.ids import SECOND, UserId
from chatd.domain.limits import LEASE_STALE_MICROS
from chatd.domain.people.rates import USUAL_RATES, CallerKind, Limit
from chatd.domain.people.roles import UserRole
from chatd.storage.database import Database
from chatd.storage.tables.replicas import Replica
from chatd.storage.transactions.transact import Store
from chatd.worker.membership import Membership
from tests.api.client import CHATS, Answer, Client
from tests.api.rates import of_people
from tests.api.websockets import opened
from tests.clock import MovedClock
from tests.traceability import proves

REQUESTS = USUAL_RATES[CallerKind.PERSON].requests or 0


class Time:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def spend(rate: Rate, user: str, times: int, per_minute: int = 5) -> int:
    """How many of these requests were allowed."""
    allowed = 0
    for _ in range(times):
        try:
            rate.take((Limit(user, per_minute),), Tally())
        except TooManyRequests:
            return allowed
        allowed += 1
    return allowed


def test_a_minute_has_512_requests() -> None:
    assert REQUEST_LIMITS.by_kind[CallerKind.PERSON].requests == 512
    assert spend(Rate(Time()), "somebody", 600, 512) == 512


def test_with_0_a_minute_there_is_no_limit() -> None:
    assert spend(Rate(Time()), "somebody", 10_000, 0) == 10_000


def test_the_bucket_fills_as_time_goes_by() -> None:
    time = Time()
    rate = Rate(time)
    assert spend(rate, "somebody", 100, 60) == 60

    time.seconds += 10
    assert spend(rate, "somebody", 100, 60) == 10
    time.seconds += 10_000
    assert spend(rate, "somebody", 100, 60) == 60


def test_fewer_may_come_in_a_row_than_in_a_minute() -> None:
    time = Time()
    rate = Rate(time, in_a_row_max=3)
    assert spend(rate, "somebody", 12, 12) == 3

    time.seconds += 5
    assert spend(rate, "somebody", 12, 12) == 1
    time.seconds += 10_000
    assert spend(rate, "somebody", 12, 12) == 3


def test_a_refusal_says_when_the_next_one_is_welcome() -> None:
    time = Time()
    rate = Rate(time)
    spend(rate, "somebody", 6, 6)

    with pytest.raises(TooManyRequests) as refused:
        rate.take((Limit("somebody", 6),), Tally())
    assert refused.value.retry_after_seconds == 10
    time.seconds += 10
    rate.take((Limit("somebody", 6),), Tally())


def test_one_user_does_not_use_up_what_another_has() -> None:
    rate = Rate(Time())

    assert (spend(rate, "a", 9, 5), spend(rate, "b", 9, 5), spend(rate, "a", 9, 5)) == (5, 5, 0)


def test_only_so_many_users_are_remembered_and_the_quietest_is_forgotten_first() -> None:
    rate = Rate(Time(), buckets_max=2)
    spend(rate, "a", 5, 5)
    spend(rate, "b", 5, 5)
    spend(rate, "a", 1, 5)

    spend(rate, "c", 1, 5)

    assert (spend(rate, "a", 9, 5), spend(rate, "b", 9, 5)) == (0, 5)


async def test_too_many_requests_are_told_to_wait(store: Store) -> None:
    time = Time()
    admin = await create_user(store.db, "root", UserRole.ADMIN)
    client = Client(build(store, now_seconds=time), await create_token(store.db, admin.id, "test"))
    for _ in range(REQUESTS):
        assert (await client.get(CHATS, limit=1)).status == 200

    refused = await client.get(CHATS)

    assert (refused.status, refused.error["code"]) == (429, "too_many_requests")
    assert refused.headers["retry-after"] == "1"
    assert {(await client.get(path)).status for path in ("/healthz", "/readyz", "/metrics")} == {200}
    time.seconds += 1
    assert (await client.get(CHATS)).status == 200


async def test_requests_without_a_valid_token_are_not_counted_as_those_of_a_user(store: Store) -> None:
    limits = RequestLimits(wrong_tokens_per_minute=0)
    anonymous = Client(build(store, limits=limits, now_seconds=Time()))

    assert {(await anonymous.get(CHATS)).status for _ in range(REQUESTS + 1)} == {401}


def test_several_servers_share_what_a_user_may_do() -> None:
    servers = 1
    rate = Rate(Time(), servers=lambda: servers)
    assert spend(rate, "somebody", 30, 60) == 30

    servers = 3
    assert spend(rate, "somebody", 60, 60) == 10
    assert spend(Rate(Time(), in_a_row_max=2, servers=lambda: 5), "somebody", 5, 60) == 1


def test_when_the_other_servers_are_gone_the_one_that_is_left_grants_the_whole_limit() -> None:
    servers, time = 3, Time()
    rate = Rate(time, servers=lambda: servers)
    assert spend(rate, "somebody", 10, 60) == 10

    # It was half used up, and is so afterwards: nobody is granted more for a server that died.
    servers = 1
    assert spend(rate, "somebody", 60, 60) == 30
    time.seconds += 10
    assert spend(rate, "somebody", 60, 60) == 10
    time.seconds += 10_000
    assert spend(rate, "somebody", 100, 60) == 60


async def test_the_share_of_servers_that_fell_silent_is_given_back_when_their_lease_is_over(
    store: Store, owner: UserId, clock: MovedClock
) -> None:
    one, *others = (_member(store.db, clock, name) for name in ("one", "two", "three"))
    limits = RequestLimits(by_kind=of_people(requests=300), servers=one.serving)
    client = Client(
        build(store, now_seconds=clock.monotonic, limits=limits), await create_token(store.db, owner, "test")
    )

    async def granted() -> str | None:
        await one.beat()
        return left_in(await client.get(CHATS))[0]

    for each in others:
        await each.beat()
    assert await granted() == "100"
    # Not a moment sooner: a server that was only slow has its share still.
    await clock.advance(LEASE_STALE_MICROS / SECOND)
    assert await granted() == "100"
    await clock.advance(1)
    assert await granted() == "300"


def _member(db: Database, clock: MovedClock, name: str) -> Membership:
    return Membership(
        db, clock, Replica(id=name, host=name, version="1", address=f"http://{name}", worker_id=None)
    )


def test_a_share_is_rounded_up() -> None:
    assert spend(Rate(Time(), servers=lambda: 3), "somebody", 600, 512) == 171
    assert spend(Rate(Time(), servers=lambda: 100), "somebody", 9, 5) == 1


def test_a_request_is_counted_in_every_bucket_or_in_none() -> None:
    rate = Rate(Time())
    both = (Limit("end user", 2), Limit("service", 3))
    for _ in range(2):
        rate.take(both, Tally())

    for _ in range(5):
        with pytest.raises(TooManyRequests):
            rate.take(both, Tally())

    assert spend(rate, "service", 9, 3) == 1


def test_what_is_left_is_told_of_the_bucket_that_has_the_least() -> None:
    tally = Tally()

    Rate(Time()).take((Limit("end user", 60), Limit("service", 3)), tally)
    assert tally.left == Left(remaining=2, reset_seconds=20, limit=3)
    Rate(Time()).take((Limit("somebody", 600),), tally)
    assert tally.left == Left(remaining=2, reset_seconds=20, limit=3)


def left_in(answer: Answer) -> tuple[str | None, ...]:
    return tuple(answer.headers.get(f"ratelimit-{name}") for name in ("limit", "remaining", "reset"))


@pytest.fixture
async def time_and_client(store: Store, owner: UserId) -> tuple[Time, Client]:
    time = Time()
    return time, Client(build(store, now_seconds=time), await create_token(store.db, owner, "test"))


@proves("people", 83)
async def test_of_513_requests_one_is_refused(time_and_client: tuple[Time, Client]) -> None:
    _, client = time_and_client
    statuses = Counter([(await client.get(CHATS, limit=1)).status for _ in range(513)])

    assert statuses == {200: 512, 429: 1}


@proves("people", 83)
async def test_every_answer_says_what_is_left(time_and_client: tuple[Time, Client]) -> None:
    time, client = time_and_client

    assert left_in(await client.get(CHATS)) == ("512", "511", "1")
    # Also one that is refused for another reason.
    assert left_in(await client.get(f"{CHATS}/no-such-chat")) == ("512", "510", "1")
    assert left_in(await client.get(CHATS, limit=-1)) == ("512", "509", "1")
    assert left_in(await client.get("/metrics")) == (None, None, None)
    time.seconds += 60
    assert left_in(await client.get(CHATS)) == ("512", "511", "1")


async def test_what_has_an_agent_work_is_counted_once_more(time_and_client: tuple[Time, Client]) -> None:
    time, client = time_and_client
    chat = await client.start_chat()
    retry = f"{CHATS}/{chat['id']}/retry"

    answers = [await client.post(retry, {}) for _ in range(60)]

    assert left_in(answers[0]) == ("60", "58", "2")
    assert (answers[-1].status, answers[-1].headers["retry-after"]) == (429, "1")
    assert left_in(answers[-1]) == ("60", "0", "60")
    assert (
        answers[-1].error["message"] == "These are more than 60 requests that have an agent work in a minute."
    )
    # Reading goes on.
    assert (await client.get(CHATS)).status == 200
    time.seconds += 1
    assert (await client.post(retry, {})).status == 409


async def test_uploads_have_a_limit_of_their_own(time_and_client: tuple[Time, Client]) -> None:
    _, client = time_and_client
    named = {"content-type": "text/plain", "content-disposition": "attachment; filename=a.txt"}

    answers = [await client.ask("POST", "/api/v1/files", b"hello", headers=named) for _ in range(13)]

    assert [each.status for each in answers] == [201] * 12 + [429]
    assert (left_in(answers[0]), left_in(answers[-1])) == (("12", "11", "5"), ("12", "0", "60"))


async def test_a_viewer_may_ask_half_as_often(store: Store) -> None:
    viewer = await create_user(store.db, "viewer", UserRole.VIEWER)
    client = Client(build(store, now_seconds=Time()), await create_token(store.db, viewer.id, "test"))

    assert left_in(await client.get(CHATS)) == ("256", "255", "1")


async def test_whoever_signs_in_is_told_what_is_left_for_their_address(store: Store) -> None:
    browser = Client(build(store, now_seconds=Time()))

    answers = [await browser.post("/api/v1/auth/exchange", {"code": "wrong"}) for _ in range(21)]

    assert [each.status for each in answers] == [401] * 20 + [429]
    assert left_in(answers[0]) == ("20", "19", "3")


async def test_streams_that_are_opened_have_a_limit_of_their_own(store: Store, owner: UserId) -> None:
    """Over Server-Sent Events and WebSockets together, and both are told what is left."""
    limits = RequestLimits(by_kind=of_people(requests=100, streams=2))
    app = build(store, now_seconds=Time(), limits=limits)
    client = Client(app, await create_token(store.db, owner, "test"))
    watch = f"{CHATS}/watch"

    first = await client.get(watch)
    second = await opened(app, watch, client.token)
    third = await client.get(watch)
    fourth = await opened(app, watch, client.token)

    assert (first.status, left_in(first)) == (200, ("2", "1", "30"))
    assert (second["type"], dict(second["headers"])[b"ratelimit-remaining"]) == ("websocket.accept", b"0")
    assert (third.status, left_in(third)) == (429, ("2", "0", "60"))
    assert (fourth["status"], dict(fourth["headers"])[b"retry-after"]) == (429, b"30")
