"""How many streams one caller may have open at once."""

import pytest

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.api.failures import TooMuchAtOnce
from chatd.api.serving.limits.admission import RequestLimits
from chatd.api.serving.limits.streams import OpenStreams
from chatd.domain.ids import UserId
from chatd.domain.people.rates import Limit
from chatd.domain.people.roles import UserRole
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS
from tests.api.rates import of_people
from tests.api.sockets import Caller, serving

AT_ONCE = 3


def watch(token: str) -> bytes:
    return f"GET {CHATS}/watch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


async def test_one_user_has_no_more_streams_open_than_they_may_open_in_a_minute(
    store: Store, owner: UserId
) -> None:
    """However many minutes they take to open them: others need connections, too."""
    time = 0.0
    limits = RequestLimits(by_kind=of_people(streams=AT_ONCE))
    app = build(store, limits=limits, now_seconds=lambda: time)
    anna = await create_user(store.db, "anna", UserRole.MEMBER)
    theirs, hers = [await create_token(store.db, each, "test") for each in (owner, anna.id)]
    async with serving(app) as connect:

        async def opened(token: str) -> tuple[Caller, bytes]:
            nonlocal time
            time += 60
            caller = await connect()
            await caller.send(watch(token))
            return caller, await caller.status()

        first, status = await opened(theirs)
        statuses = [status, *[(await opened(theirs))[1] for _ in range(AT_ONCE)]]
        assert statuses == [b"200"] * AT_ONCE + [b"429"]
        assert (await opened(hers))[1] == b"200"

        await first.close()
        while (status := (await opened(theirs))[1]) != b"200":
            assert status == b"429"


def test_what_is_counted_is_forgotten_with_the_last_stream() -> None:
    streams = OpenStreams()
    user, service = Limit("user", 2), Limit("service", 1)
    with streams.opened([user, service]):
        with pytest.raises(TooMuchAtOnce), streams.opened([Limit("another", 2), service]):
            pass
        with streams.opened([user, Limit("any", 0)]):
            pass

    assert not streams.holders
