import pytest

from chatd.accounts.tokens import create_token, new_token
from chatd.accounts.users import User, create_user, user_named, user_of_token
from chatd.domain.people.roles import UserRole
from chatd.errors import BadInput, NotAllowed
from chatd.storage.database import Database


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
