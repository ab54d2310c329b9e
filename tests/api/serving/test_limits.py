"""How many requests a user may make."""

import pytest

from chatd.accounts.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.api.failures import TooManyRequests
from chatd.api.serving.admission import REQUEST_LIMITS
from chatd.api.serving.rate import Rate
from chatd.domain.people.roles import UserRole
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client


class Time:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def spend(rate: Rate, user: str, times: int) -> int:
    """How many of these requests were allowed."""
    allowed = 0
    for _ in range(times):
        try:
            rate.take(user)
        except TooManyRequests:
            return allowed
        allowed += 1
    return allowed


def test_a_minute_has_512_requests() -> None:
    assert REQUEST_LIMITS.requests_per_minute == 512
    assert spend(Rate(Time(), per_minute=512), "somebody", 600) == 512


def test_with_0_a_minute_there_is_no_limit() -> None:
    assert spend(Rate(Time(), per_minute=0), "somebody", 10_000) == 10_000


def test_the_bucket_fills_as_time_goes_by() -> None:
    time = Time()
    rate = Rate(time, per_minute=60)
    assert spend(rate, "somebody", 100) == 60

    time.seconds += 10
    assert spend(rate, "somebody", 100) == 10
    time.seconds += 10_000
    assert spend(rate, "somebody", 100) == 60


def test_fewer_may_come_in_a_row_than_in_a_minute() -> None:
    time = Time()
    rate = Rate(time, per_minute=12, in_a_row_max=3)
    assert spend(rate, "somebody", 12) == 3

    time.seconds += 5
    assert spend(rate, "somebody", 12) == 1
    time.seconds += 10_000
    assert spend(rate, "somebody", 12) == 3


def test_a_refusal_says_when_the_next_one_is_welcome() -> None:
    time = Time()
    rate = Rate(time, per_minute=6)
    spend(rate, "somebody", 6)

    with pytest.raises(TooManyRequests) as refused:
        rate.take("somebody")
    assert refused.value.retry_after_seconds == 10
    time.seconds += 10
    rate.take("somebody")


def test_one_user_does_not_use_up_what_another_has() -> None:
    rate = Rate(Time(), per_minute=5)

    assert (spend(rate, "a", 9), spend(rate, "b", 9), spend(rate, "a", 9)) == (5, 5, 0)


def test_only_so_many_users_are_remembered_and_the_quietest_is_forgotten_first() -> None:
    rate = Rate(Time(), per_minute=5, users_max=2)
    spend(rate, "a", 5)
    spend(rate, "b", 5)
    spend(rate, "a", 1)

    spend(rate, "c", 1)

    assert (spend(rate, "a", 9), spend(rate, "b", 9)) == (0, 5)


async def test_too_many_requests_are_told_to_wait(store: Store) -> None:
    time = Time()
    admin = await create_user(store.db, "root", UserRole.ADMIN)
    client = Client(build(store, now_seconds=time), await create_token(store.db, admin.id, "test"))
    for _ in range(REQUEST_LIMITS.requests_per_minute):
        assert (await client.get(CHATS, limit=1)).status == 200

    refused = await client.get(CHATS)

    assert (refused.status, refused.error["code"]) == (429, "too_many_requests")
    assert refused.headers["retry-after"] == "1"
    assert {(await client.get(path)).status for path in ("/healthz", "/readyz", "/metrics")} == {200}
    time.seconds += 1
    assert (await client.get(CHATS)).status == 200


async def test_requests_without_a_valid_token_are_not_counted(store: Store) -> None:
    anonymous = Client(build(store, now_seconds=Time()))

    assert {(await anonymous.get(CHATS)).status for _ in range(REQUEST_LIMITS.requests_per_minute + 1)} == {
        401
    }


def test_several_servers_share_what_a_user_may_do() -> None:
    servers = 1
    rate = Rate(Time(), per_minute=60, servers=lambda: servers)
    assert spend(rate, "somebody", 30) == 30

    servers = 3
    assert spend(rate, "somebody", 60) == 10
    assert spend(Rate(Time(), per_minute=60, in_a_row_max=2, servers=lambda: 5), "somebody", 5) == 1
