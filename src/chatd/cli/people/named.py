"""Finding users by their names, for the commands about people."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import User
from chatd.errors import Unusable

T = TypeVar("T")


async def with_client(flags: Mapping[str, object], do: Callable[[AsyncClient], Awaitable[T]]) -> T:
    async with client_from(flags) as client:
        return await do(client)


async def with_user(
    flags: Mapping[str, object], name: str, do: Callable[[AsyncClient, User], Awaitable[T]]
) -> T:
    async with client_from(flags) as client:
        return await do(client, await user_named(client, name))


async def user_named(client: AsyncClient, name: str) -> User:
    """In whichever case its letters are. Raises Unusable."""
    for user in await all_users(client, q=name):
        if user.name.casefold() == name.casefold():
            return user
    raise Unusable(f"There is no user {name!r}. `chatd user ls` lists them.")


def check_heir(chats: str, to: str | None) -> None:
    """Raises Unusable unless somebody is named who gets the chats, and only then."""
    if (chats == "transfer") != (to is not None):
        raise Unusable("Say with `--chats transfer --to USER` who gets the chats, and `--to` only then.")


async def all_users(client: AsyncClient, q: str = "", **filters: str) -> tuple[User, ...]:
    return tuple([user async for user in client.users(q=q, **filters)])
