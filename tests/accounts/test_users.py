import pytest

from chatd.accounts.services.services import NewService, create_service
from chatd.accounts.services.speaking import spoken_for
from chatd.accounts.tokens.tokens import create_token, new_token
from chatd.accounts.users import User, check_room, create_user, user_named, user_of_token
from chatd.domain.people.acting import ActsFor
from chatd.domain.people.roles import UserRole
from chatd.errors import BadInput, NotAllowed
from chatd.storage.database import Connection, Database

# With a service and the owner of chats that is always there, there is room for one more.
ALMOST_ALL = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99997)
INSERT INTO users (id, name, name_key, created_at)
SELECT 'u' || i, 'u' || i, 'u' || i, 0 FROM n;
"""


async def test_a_user_is_found_by_name_and_by_each_of_their_tokens(database: Database) -> None:
    user = await create_user(database, "Zoë", UserRole.MEMBER)
    laptop = await create_token(database, user.id, "laptop")
    phone = await create_token(database, user.id, "phone")

    assert user == User(user.id, "Zoë", UserRole.MEMBER)
    assert await user_named(database, "Zoë") == user
    assert await user_of_token(database, laptop) == user
    assert await user_of_token(database, phone) == user


async def test_an_unknown_name_or_token_belongs_to_no_user(database: Database) -> None:
    assert await user_named(database, "nobody") is None
    assert await user_of_token(database, new_token()) is None
    assert await user_of_token(database, "\ud800") is None


async def test_a_name_is_given_once(database: Database) -> None:
    first = await create_user(database, "anna", UserRole.ADMIN)

    with pytest.raises(NotAllowed) as refused:
        await create_user(database, "ANNA", UserRole.MEMBER)

    assert refused.value.code == "name_taken"
    assert await user_named(database, "anna") == first


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "nul\0", "\ud800", "x" * 101])
async def test_a_name_is_something_that_can_be_read(database: Database, name: str) -> None:
    with pytest.raises(BadInput):
        await create_user(database, name, UserRole.MEMBER)


def test_no_two_tokens_are_alike() -> None:
    assert len({new_token() for _ in range(100)}) == 100


class _TakenBack(Exception):
    """So that no test after this one has to remove so many."""


async def test_there_are_a_hundred_thousand_users_at_most_and_end_users_are_none_of_them(
    database: Database,
) -> None:
    made = await create_service(database, NewService(name="shop", acts_for=ActsFor.END_USERS))
    assert await spoken_for(database, made.profile.user, "customer-7") is not None

    async def body(tx: Connection) -> None:
        await tx.script(ALMOST_ALL)
        await check_room(tx)
        await tx.one("insert_person", "last", "last", "member", "last", "")
        with pytest.raises(NotAllowed, match="100000 users"):
            await check_room(tx)
        raise _TakenBack

    with pytest.raises(_TakenBack):
        await database.write(body)
