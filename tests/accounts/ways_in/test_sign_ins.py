import asyncio
from pathlib import Path

import pytest

from chatd.accounts.tokens.admitted import with_cookie
from chatd.accounts.tokens.tokens import create_token, hash_of
from chatd.accounts.users import create_user
from chatd.accounts.ways_in.sign_in_codes import CODES_MAX, Purpose, new_code
from chatd.accounts.ways_in.sign_ins import (
    SIGN_INS_MAX,
    Browser,
    end_sign_in,
    end_sign_ins,
    sign_in_with_code,
    sign_in_with_token,
    sign_ins_of,
)
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.storage.database import Database
from tests.clock import MovedClock
from tests.traceability import proves

MINUTE, DAY = 60, 24 * 3600
FIREFOX = Browser("127.0.0.1", "Firefox")


async def signed_in(db: Database, owner: UserId, *, instead_of: str | None = None) -> str:
    code = await new_code(db, owner, Purpose.TERMINAL)
    secret = await sign_in_with_code(db, code, FIREFOX, instead_of=instead_of)
    assert secret is not None
    return secret


async def counts(db: Database, secret: str) -> bool:
    return await with_cookie(db, hash_of(secret)) is not None


async def test_a_code_lets_one_browser_in(database: Database, owner: UserId) -> None:
    secret = await signed_in(database, owner)

    found = await with_cookie(database, hash_of(secret))

    assert found is not None
    assert found.user.id == owner
    (sign_in,) = await sign_ins_of(database, owner)
    assert (sign_in.id, sign_in.method, sign_in.browser) == (found.sign_in_id, "link", FIREFOX)


@proves("people", 3)
async def test_a_code_that_is_used_twice_at_once_lets_one_browser_in(
    database: Database, owner: UserId
) -> None:
    code = await new_code(database, owner, Purpose.TERMINAL)

    secrets = await asyncio.gather(
        *(sign_in_with_code(database, code, FIREFOX, instead_of=None) for _ in range(4))
    )

    assert sum(secret is not None for secret in secrets) == 1
    assert len(await sign_ins_of(database, owner)) == 1


async def test_a_code_counts_for_ten_minutes(database: Database, owner: UserId, clock: MovedClock) -> None:
    codes = [await new_code(database, owner, Purpose.TERMINAL) for _ in range(2)]

    await clock.advance(10 * MINUTE - 1)
    assert await sign_in_with_code(database, codes[0], FIREFOX, instead_of=None) is not None
    await clock.advance(1)
    assert await sign_in_with_code(database, codes[1], FIREFOX, instead_of=None) is None


async def test_codes_that_are_never_used_do_not_pile_up(
    database: Database, owner: UserId, clock: MovedClock
) -> None:
    codes = []
    for _ in range(CODES_MAX + 1):
        codes.append(await new_code(database, owner, Purpose.TERMINAL))
        await clock.advance(1)

    assert await sign_in_with_code(database, codes[0], FIREFOX, instead_of=None) is None
    assert await sign_in_with_code(database, codes[1], FIREFOX, instead_of=None) is not None


async def test_neither_codes_nor_secrets_are_stored(
    database: Database, owner: UserId, tmp_path: Path
) -> None:
    code = await new_code(database, owner, Purpose.TERMINAL)
    secret = await sign_in_with_code(database, code, FIREFOX, instead_of=None)

    assert secret is not None
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("chatd.db*"))
    assert code.encode() not in stored
    assert secret.encode() not in stored


async def test_a_sign_in_ends_seven_days_after_its_last_use(
    database: Database, owner: UserId, clock: MovedClock
) -> None:
    secret = await signed_in(database, owner)

    await clock.advance(6 * DAY)
    assert await counts(database, secret)
    await clock.advance(6 * DAY)
    assert await counts(database, secret)
    await clock.advance(7 * DAY)
    assert not await counts(database, secret)
    assert await sign_ins_of(database, owner) == []


async def test_a_new_sign_in_deletes_those_of_anybody_that_have_ended(
    database: Database, owner: UserId, clock: MovedClock
) -> None:
    anna = (await create_user(database, "anna", UserRole.MEMBER)).id
    for each in (owner, anna):
        await signed_in(database, each)
    await clock.advance(7 * DAY)

    await signed_in(database, owner)

    # What is kept of them would count now.
    await database.write(lambda tx: tx.script("UPDATE sign_ins SET ends_at = 4000000000000000;"))
    assert [len(await sign_ins_of(database, each)) for each in (owner, anna)] == [1, 0]


async def test_a_sign_in_ends_thirty_days_after_its_beginning(
    database: Database, owner: UserId, clock: MovedClock
) -> None:
    secret = await signed_in(database, owner)

    for _ in range(5):
        await clock.advance(6 * DAY - 1)
        assert await counts(database, secret)
    await clock.advance(5)

    assert not await counts(database, secret)


async def test_each_use_within_an_hour_is_noted_once(
    database: Database, owner: UserId, clock: MovedClock
) -> None:
    secret = await signed_in(database, owner)
    (began,) = await sign_ins_of(database, owner)

    await clock.advance(59 * MINUTE)
    await counts(database, secret)
    assert await sign_ins_of(database, owner) == [began]
    await clock.advance(2 * MINUTE)
    await counts(database, secret)
    (noted,) = await sign_ins_of(database, owner)

    assert noted.used_at > began.used_at
    assert noted.ends_at > began.ends_at


async def test_a_browser_that_signs_in_again_has_a_new_secret_and_the_old_one_is_void(
    database: Database, owner: UserId
) -> None:
    first = await signed_in(database, owner)

    second = await signed_in(database, owner, instead_of=first)

    assert first != second
    assert not await counts(database, first)
    assert await counts(database, second)
    assert len(await sign_ins_of(database, owner)) == 1


async def test_the_sign_in_that_was_not_used_for_the_longest_time_makes_room(
    database: Database, owner: UserId, clock: MovedClock
) -> None:
    secrets = []
    for _ in range(SIGN_INS_MAX):
        secrets.append(await signed_in(database, owner))
        await clock.advance(MINUTE)
    await clock.advance(61 * MINUTE)
    assert await counts(database, secrets[0])

    newest = await signed_in(database, owner)

    assert len(await sign_ins_of(database, owner)) == SIGN_INS_MAX
    assert [await counts(database, each) for each in (secrets[0], secrets[1], newest)] == [True, False, True]


async def test_a_sign_in_with_a_token_ends_with_the_token(database: Database, owner: UserId) -> None:
    token = await create_token(database, owner, "laptop")
    by_token = await sign_in_with_token(database, token, FIREFOX, instead_of=None)
    by_link = await signed_in(database, owner)
    assert by_token is not None
    assert await counts(database, by_token)

    await database.write(lambda tx: tx.run("delete_other_tokens_named", owner, "laptop", "none"))

    assert not await counts(database, by_token)
    assert await counts(database, by_link)
    assert await sign_in_with_token(database, token, FIREFOX, instead_of=None) is None


@pytest.mark.parametrize("everywhere", [False, True])
async def test_one_sign_in_ends_or_all_of_a_user(
    database: Database, owner: UserId, *, everywhere: bool
) -> None:
    secrets = [await signed_in(database, owner) for _ in range(2)]
    found = await with_cookie(database, hash_of(secrets[0]))
    assert found is not None
    assert found.sign_in_id is not None

    if everywhere:
        await end_sign_ins(database, owner)
    else:
        assert await end_sign_in(database, owner, found.sign_in_id)

    assert [await counts(database, each) for each in secrets] == [False, not everywhere]


async def test_the_sign_ins_of_others_cannot_be_ended(database: Database, owner: UserId) -> None:
    await signed_in(database, owner)
    (sign_in,) = await sign_ins_of(database, owner)

    assert not await end_sign_in(database, UserId("stranger"), sign_in.id)
    assert len(await sign_ins_of(database, owner)) == 1
