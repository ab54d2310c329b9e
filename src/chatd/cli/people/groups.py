"""chatd group: named sets of users, for administrators."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.people.named import user_named, with_client
from chatd.client import AsyncClient
from chatd.client.answers import Group, User
from chatd.client.errors import ApiError
from chatd.errors import Unusable

T = TypeVar("T")

NOT_FOUND = 404


def ls(*, as_json: bool, **flags: object) -> None:
    groups = run_loop(with_client(flags, _all))
    if as_json:
        say_json({"groups": groups})
        return
    rows = [(each.name, str(each.members), each.source) for each in groups]
    for line in table(("GROUP", "MEMBERS", "SOURCE"), rows):
        say(line)


def add(*, name: str, as_json: bool, **flags: object) -> None:
    made = run_loop(with_client(flags, lambda client: client.add_group(name)))
    if as_json:
        say_json(made)
    else:
        say_aside(f"`chatd group join {made.name} USER` puts a user into it.")


def rename(*, name: str, to: str, **flags: object) -> None:
    run_loop(_with_group(flags, name, lambda client, group: client.rename_group(group.id, to)))


def rm(*, name: str, **flags: object) -> None:
    run_loop(_with_group(flags, name, lambda client, group: client.delete_group(group.id)))


def members(*, name: str, as_json: bool, **flags: object) -> None:
    users = run_loop(_with_group(flags, name, _members))
    if as_json:
        say_json({"users": users})
        return
    for line in table(("USER", "ROLE", "NAME"), [(u.name, u.role, u.display_name) for u in users]):
        say(line)


def join(*, name: str, user: str, **flags: object) -> None:
    async def do(client: AsyncClient, group: Group) -> None:
        await client.add_member(group.id, (await user_named(client, user)).id)

    run_loop(_with_group(flags, name, do))


def leave(*, name: str, user: str, **flags: object) -> None:
    async def do(client: AsyncClient, group: Group) -> None:
        found = await user_named(client, user)
        try:
            await client.remove_member(group.id, found.id)
        except ApiError as error:
            if error.status != NOT_FOUND:
                raise
            raise Unusable(f"{found.name} is not in {group.name}.") from error

    run_loop(_with_group(flags, name, do))


async def group_named(client: AsyncClient, name: str) -> Group:
    """In whichever case its letters are. Raises Unusable."""
    for group in await _all(client, q=name):
        if group.name.casefold() == name.casefold():
            return group
    raise Unusable(f"There is no group {name!r}. `chatd group ls` lists them.")


async def _with_group(
    flags: Mapping[str, object], name: str, do: Callable[[AsyncClient, Group], Awaitable[T]]
) -> T:
    async def with_it(client: AsyncClient) -> T:
        return await do(client, await group_named(client, name))

    return await with_client(flags, with_it)


async def _all(client: AsyncClient, q: str = "") -> tuple[Group, ...]:
    return tuple([group async for group in client.groups(q=q)])


async def _members(client: AsyncClient, group: Group) -> tuple[User, ...]:
    return tuple([user async for user in client.members(group.id)])
