"""What users may send at once, and what the server holds of it."""

import asyncio
from contextlib import AbstractContextManager

import pytest

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.api.failures import Busy, TooMuchAtOnce
from chatd.api.serving.intake import BODY_BYTES_MAX
from chatd.api.serving.limits.admission import (
    IMPORTS_IN_A_ROW_MAX,
    IMPORTS_MAX,
    UPLOADS_MAX,
    UPLOADS_PER_USER_MAX,
    AtOnce,
    Heavy,
    HeldBytes,
    RequestLimits,
    at_once,
)
from chatd.api.serving.limits.rate import Tally
from chatd.domain.ids import UserId
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.api.rates import of_people
from tests.api.sockets import Caller, serving

MEBIBYTE = 1024 * 1024
FILES = "/api/v1/files"


@pytest.fixture
async def token(store: Store, owner: UserId) -> str:
    return await create_token(store.db, owner, "sockets")


# The server says `100 Continue` when it is about to read the body.
WAITS = "Expect: 100-continue"


def request(method: str, path: str, token: str, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}", *headers, "", ""]
    return "\r\n".join(lines).encode()


def upload(token: str, size: int, *headers: str) -> bytes:
    return request(
        "POST",
        FILES,
        token,
        "Content-Type: text/plain",
        "Content-Disposition: attachment; filename=a.txt",
        f"Content-Length: {size}",
        *headers,
    )


async def being_read(caller: Caller, head: bytes) -> Caller:
    await caller.send(head)
    assert await caller.status() == b"100"
    assert await caller.line() == b"\r\n"
    return caller


async def test_of_one_users_uploads_only_a_few_are_read_at_once(store: Store, token: str) -> None:
    async with serving(build(store)) as connect:
        unfinished = [
            await being_read(await connect(), upload(token, 5, WAITS)) for _ in range(UPLOADS_PER_USER_MAX)
        ]
        late = await connect()
        await late.send(upload(token, 10 * MEBIBYTE))

        # Its body was not waited for.
        assert await late.status() == b"429"
        for caller in unfinished:
            await caller.send(b"hello")
            assert await caller.status() == b"201"
        again = await connect()
        await again.send(upload(token, 5) + b"hello")
        assert await again.status() == b"201"


async def test_uploads_of_a_minute_are_counted_before_they_are_read(store: Store, token: str) -> None:
    async with serving(build(store, limits=RequestLimits(by_kind=of_people(uploads=1)))) as connect:
        first = await connect()
        await first.send(upload(token, 5) + b"hello")
        assert await first.status() == b"201"
        second = await connect()
        await second.send(upload(token, 10 * MEBIBYTE))

        assert await second.status() == b"429"


async def test_imports_of_a_minute_are_counted(store: Store, token: str) -> None:
    client = Client(build(store, limits=RequestLimits(by_kind=of_people(uploads=2))), token)

    statuses = [(await client.post(f"{CHATS}/import", {})).status for _ in range(3)]

    assert statuses == [400, 400, 429]


async def test_a_few_chats_are_imported_in_a_row_and_all_others_one_by_one(store: Store, token: str) -> None:
    client = Client(build(store), token)

    statuses = [(await client.post(f"{CHATS}/import", {})).status for _ in range(IMPORTS_IN_A_ROW_MAX + 1)]

    assert statuses == [400] * IMPORTS_IN_A_ROW_MAX + [429]


async def test_a_user_imports_one_chat_at_a_time(store: Store, token: str) -> None:
    async with serving(build(store)) as connect:
        await being_read(
            await connect(), request("POST", f"{CHATS}/import", token, "Content-Length: 100", WAITS)
        )
        second = await connect()
        await second.send(request("POST", f"{CHATS}/import", token, "Content-Length: 100"))

        assert await second.status() == b"429"


BEGUN = b'{"content": [{"type": "text", "text": "hi"}]}'


async def test_a_new_chat_with_a_large_history_takes_the_turn_of_an_import(store: Store, token: str) -> None:
    async with serving(build(store)) as connect:
        head = request("POST", CHATS, token, f"Content-Length: {2 * BODY_BYTES_MAX}", WAITS)
        first, second = [await being_read(await connect(), head) for _ in range(2)]
        waiting = [asyncio.ensure_future(caller.status()) for caller in (first, second)]
        for caller in (first, second):
            await caller.send(b" " * (BODY_BYTES_MAX + 1))

        # Neither is complete; the one that becomes large while the other is under way is refused.
        done, others = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert [each.result() for each in done] == [b"429"]
        for other in others:
            other.cancel()
        small = await connect()
        await small.send(request("POST", CHATS, token, f"Content-Length: {len(BEGUN)}") + BEGUN)
        assert await small.status() == b"201"


async def test_a_large_history_counts_among_what_its_user_holds(store: Store, token: str) -> None:
    app = build(store, limits=RequestLimits(held_bytes_per_user_max=BODY_BYTES_MAX))
    async with serving(app) as connect:
        head = request("POST", CHATS, token, f"Content-Length: {4 * BODY_BYTES_MAX}", WAITS)
        unfinished = await being_read(await connect(), head)
        await unfinished.send(b" " * 3 * BODY_BYTES_MAX)
        statuses = set()
        while b"429" not in statuses:
            # Until the server has read what was sent.
            small = await connect()
            await small.send(request("POST", CHATS, token, f"Content-Length: {len(BEGUN)}") + BEGUN)
            statuses.add(await small.status())

        assert statuses <= {b"201", b"429"}


async def test_small_new_chats_are_no_imports(store: Store, token: str) -> None:
    client = Client(build(store), token)

    assert {(await client.post(CHATS, {})).status for _ in range(IMPORTS_IN_A_ROW_MAX + 2)} == {400}


async def test_what_is_not_finished_counts_for_its_user(store: Store, token: str) -> None:
    limits = RequestLimits(held_bytes_per_user_max=1000)
    async with serving(build(store, limits=limits)) as connect:
        head = request("POST", CHATS, token, "Content-Length: 900", WAITS)
        callers = [await being_read(await connect(), head) for _ in range(2)]
        for caller in callers:
            await caller.send(b" " * 899)

        # Neither body is complete; the second that comes is one too many.
        waiting = [asyncio.ensure_future(caller.status()) for caller in callers]
        done, others = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert [each.result() for each in done] == [b"429"]
        for other in others:
            other.cancel()


async def test_a_large_answer_counts_until_it_was_taken(store: Store, token: str) -> None:
    limits = RequestLimits(held_bytes_per_user_max=MEBIBYTE)
    app = build(store, limits=limits)
    sent = await Client(app, token).ask(
        "POST",
        FILES,
        b"a" * 10 * MEBIBYTE,
        headers={"content-type": "text/plain", "content-disposition": "attachment; filename=a.txt"},
    )
    get = request("GET", f"{FILES}/{sent.json['id']}", token)
    async with serving(app) as connect:
        first, second = await connect(), await connect()
        await first.send(get)
        assert await first.status() == b"200"
        await second.send(get)
        assert await second.status() == b"429"

        await first.answer()
        third = await connect()
        await third.send(get)
        assert await third.status() == b"200"


def uploads(per_user_max: int, all_max: int) -> AtOnce:
    limits = at_once(RequestLimits(), lambda: 0.0)
    assert set(limits) == set(Heavy)
    return AtOnce(Heavy.UPLOAD, rate=limits[Heavy.UPLOAD]._rate, per_user_max=per_user_max, all_max=all_max)


def test_requests_of_a_kind_are_bounded_in_all() -> None:
    assert IMPORTS_MAX < UPLOADS_MAX
    few = uploads(2, 3)

    def admitted(user: str) -> AbstractContextManager[None]:
        return few.admitted(user, (), Tally())

    with admitted("a"), admitted("a"), admitted("b"), pytest.raises(Busy), admitted("c"):
        pass
    with admitted("c"):
        assert few._by_user == {"c": 1}


def test_bytes_are_bounded_for_each_user_and_in_all() -> None:
    held = HeldBytes(all_max=100, per_user_max=60)
    with held.hold("a") as first, held.hold("b") as second:
        first.add(60)
        with held.hold("a") as another, pytest.raises(TooMuchAtOnce):
            another.add(1)
        second.add(40)
        with pytest.raises(Busy):
            second.add(1)
        assert held._all == 100
    assert (held._all, dict(held._by_user)) == (0, {})


def test_a_single_request_may_be_larger() -> None:
    held = HeldBytes(all_max=100, per_user_max=60)
    with held.hold("a") as only:
        only.add(99)
        only.add(99)
