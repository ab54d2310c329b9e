"""Passwords: what may be one, how it is kept, and what becomes of those who guess."""

import asyncio

import pytest
from argon2 import PasswordHasher

from chatd.accounts.lives.lives import UserChange, change_user, suspend_user
from chatd.accounts.tokens.admitted import with_cookie
from chatd.accounts.tokens.tokens import hash_of
from chatd.accounts.users import User, create_user
from chatd.accounts.ways_in.passwords.hashing import MEMORY_KIB, NOBODYS, WAITING_MAX, Passwords
from chatd.accounts.ways_in.passwords.rules import LENGTH_MAX, check_fit
from chatd.accounts.ways_in.passwords.sign_in import choose_password, has_password, sign_in_with_password
from chatd.accounts.ways_in.passwords.tries import WaitToTry
from chatd.accounts.ways_in.sign_ins import Browser, Method, sign_ins_of
from chatd.domain.people.audit import AskedBy, Via
from chatd.domain.people.roles import UserRole
from chatd.errors import BadInput, ChatdError, LimitReached, Unauthenticated
from chatd.storage.database import Database
from chatd.storage.reads.audit import AuditFilter, read_audit
from tests.clock import MovedClock
from tests.traceability import proves

FIREFOX = Browser("127.0.0.1", "Firefox")
BY = AskedBy(via=Via.DOOR, address="192.0.2.1")
GOOD, OTHER = "a ladder of green tea", "nine clouds over Ghent"
MINUTE = 60


@pytest.fixture(scope="module")
def passwords() -> Passwords:
    return Passwords()


@pytest.fixture
async def anna(database: Database, passwords: Passwords) -> User:
    user = await create_user(database, "Anna", UserRole.MEMBER)
    await choose(database, passwords, user, GOOD)
    return user


async def choose(db: Database, passwords: Passwords, user: User, new: str, old: str | None = None) -> None:
    await choose_password(db, passwords, user, old=old, new=new, sign_in_id=None, by=BY)


async def enter(db: Database, passwords: Passwords, name: str, password: str) -> str:
    return await sign_in_with_password(db, passwords, name, password, FIREFOX, instead_of=None, by=BY)


async def stored(db: Database) -> str:
    row = await db.read(lambda tx: tx.one("password_of_name", "anna"))
    assert row is not None
    return str(row[-2])


async def refusal(db: Database, passwords: Passwords, name: str, password: str) -> ChatdError:
    with pytest.raises(ChatdError) as refused:
        await enter(db, passwords, name, password)
    return refused.value


@pytest.mark.parametrize("name", ["Anna", "anna"])
async def test_the_right_password_signs_in(
    database: Database, passwords: Passwords, anna: User, name: str
) -> None:
    secret = await enter(database, passwords, name, GOOD)

    found = await with_cookie(database, hash_of(secret))
    assert found is not None
    assert found.user == anna
    (sign_in,) = await sign_ins_of(database, anna.id)
    assert (sign_in.method, sign_in.browser) == (Method.PASSWORD, FIREFOX)


async def test_a_password_is_kept_as_argon2id_has_it(
    database: Database, passwords: Passwords, anna: User
) -> None:
    assert (await stored(database)).startswith(f"$argon2id$v=19$m={MEMORY_KIB},t=2,p=1$")
    assert NOBODYS.startswith(f"$argon2id$v=19$m={MEMORY_KIB},t=2,p=1$")


async def test_an_unknown_name_a_wrong_password_and_none_at_all_are_refused_alike(
    database: Database, passwords: Passwords, anna: User, clock: MovedClock
) -> None:
    await create_user(database, "Olaf", UserRole.MEMBER)

    refused = [await refusal(database, passwords, name, OTHER) for name in ("Anna", "Olaf", "nobody")]

    assert [(type(each), each.args) for each in refused] == [(Unauthenticated, refused[0].args)] * 3
    await clock.advance(11)
    failed = await read_audit(database, AuditFilter(deed="sign_in.fail"))
    assert [(row.outcome, row.address) for row in failed] == [("refused", "192.0.2.1")] * 3


@proves("people", 12)
async def test_after_five_failures_the_next_try_waits_even_if_it_is_right_and_also_for_unknown_names(
    database: Database, passwords: Passwords, anna: User, clock: MovedClock
) -> None:
    for name in ("Anna", "nobody"):
        # All at once: each is counted before it is looked at.
        tries = await asyncio.gather(*(refusal(database, passwords, name, OTHER) for _ in range(8)))
        assert sum(isinstance(each, WaitToTry) for each in tries) == 3

        waiting = await refusal(database, passwords, name, GOOD)
        assert isinstance(waiting, WaitToTry)
        assert waiting.retry_after_seconds == MINUTE

    await clock.advance(MINUTE)
    assert await enter(database, passwords, "Anna", GOOD)


async def test_the_wait_doubles_up_to_an_hour_and_ends_with_the_right_password(
    database: Database, passwords: Passwords, anna: User, clock: MovedClock
) -> None:
    for _ in range(4):
        await refusal(database, passwords, "Anna", OTHER)
    waits = []
    for _ in range(8):
        await refusal(database, passwords, "Anna", OTHER)
        refused = await refusal(database, passwords, "Anna", OTHER)
        assert isinstance(refused, WaitToTry)
        waits.append(refused.retry_after_seconds // MINUTE)
        await clock.advance(refused.retry_after_seconds)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]

    await enter(database, passwords, "Anna", GOOD)

    assert isinstance(await refusal(database, passwords, "Anna", OTHER), Unauthenticated)


async def test_failures_of_a_quarter_of_an_hour_ago_do_not_count(
    database: Database, passwords: Passwords, anna: User, clock: MovedClock
) -> None:
    for _ in range(4):
        await refusal(database, passwords, "Anna", OTHER)
    await clock.advance(15 * MINUTE)

    for _ in range(5):
        assert isinstance(await refusal(database, passwords, "Anna", OTHER), Unauthenticated)


@proves("people", 12)
async def test_a_name_that_nobody_has_is_compared_with_something() -> None:
    """It would be answered at once otherwise, and so tell that there is no such user."""
    compared: list[str] = []

    class Watched(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]
            compared.append(str(hash))
            return bool(super().verify(hash, password))

    assert not (await Passwords(Watched).compared(None, GOOD)).is_right

    assert compared == [NOBODYS]


async def test_a_password_that_was_kept_with_other_parameters_is_kept_anew_when_it_is_shown(
    database: Database, passwords: Passwords, anna: User
) -> None:
    cheap = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(GOOD)
    kept = await stored(database)
    await database.write(lambda tx: tx.one("replace_password", anna.id, kept, cheap))

    await enter(database, passwords, "Anna", GOOD)

    assert (await stored(database)).startswith(f"$argon2id$v=19$m={MEMORY_KIB},t=2,p=1$")
    assert await enter(database, passwords, "Anna", GOOD)


async def test_a_suspended_user_is_told_so_only_with_the_right_password(
    database: Database, passwords: Passwords, anna: User
) -> None:
    await suspend_user(database, anna.id)

    wrong = await refusal(database, passwords, "Anna", OTHER)
    right = await refusal(database, passwords, "Anna", GOOD)

    assert isinstance(wrong, Unauthenticated)
    assert isinstance(right, Unauthenticated)
    assert (wrong.code, right.code) == ("unauthenticated", "account_suspended")


async def test_who_has_a_password_needs_it_to_choose_another(
    database: Database, passwords: Passwords, anna: User
) -> None:
    for old in (None, OTHER):
        with pytest.raises(BadInput) as refused:
            await choose(database, passwords, anna, OTHER, old)
        assert refused.value.code == "wrong_password"

    await choose(database, passwords, anna, OTHER, GOOD)

    assert isinstance(await refusal(database, passwords, "Anna", GOOD), Unauthenticated)
    assert await enter(database, passwords, "Anna", OTHER)


async def test_a_new_password_signs_other_browsers_out(
    database: Database, passwords: Passwords, anna: User
) -> None:
    here, there = [await enter(database, passwords, "Anna", GOOD) for _ in range(2)]
    found = await with_cookie(database, hash_of(here))
    assert found is not None

    await choose_password(database, passwords, anna, old=GOOD, new=OTHER, sign_in_id=found.sign_in_id, by=BY)

    assert await with_cookie(database, hash_of(here)) is not None
    assert await with_cookie(database, hash_of(there)) is None


async def test_an_administrator_can_take_a_password_away(
    database: Database, passwords: Passwords, anna: User
) -> None:
    assert await has_password(database, anna.id)

    await change_user(database, anna.id, UserChange(password=None))

    assert not await has_password(database, anna.id)
    assert isinstance(await refusal(database, passwords, "Anna", GOOD), Unauthenticated)
    await choose(database, passwords, anna, OTHER)


@pytest.mark.parametrize(
    "unfit",
    [
        "eleven char",
        "x" * (LENGTH_MAX + 1),
        "Annabelle of the Hills",
        "1qaz2wsx3edc",
        "Qwerty123456",
        "zzzzzzzzzzzzzz",
    ],
)
def test_what_is_too_short_too_long_the_name_or_tried_first_is_no_password(unfit: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_fit(unfit, name="annabelle of the hills", field="password.new")

    assert refused.value.code == "bad_password"
    assert unfit not in str(refused.value)


@pytest.mark.parametrize("fit", ["twelve chars", "x" * 1023 + "y", "пароль для чата", GOOD])
def test_everything_else_is(fit: str) -> None:
    check_fit(fit, name="anna", field="password.new")


async def test_characters_count_however_a_keyboard_puts_them_together(passwords: Passwords) -> None:
    stored = await passwords.hashed("Zoë über alles")

    assert (await passwords.compared(stored, "Zoe\u0308 u\u0308ber alles")).is_right


async def test_more_than_can_be_compared_soon_are_told_to_come_back(passwords: Passwords) -> None:
    results = await asyncio.gather(
        *(passwords.compared(None, GOOD) for _ in range(WAITING_MAX + 3)), return_exceptions=True
    )

    assert sum(isinstance(each, LimitReached) for each in results) == 3
