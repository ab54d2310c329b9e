"""chatd service: programs with tokens of their own, for administrators."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.people.groups import group_named
from chatd.cli.people.named import check_heir, user_named, with_client
from chatd.client import AsyncClient
from chatd.client.answers import EndUser, NewToken, Service
from chatd.errors import Unusable

T = TypeVar("T")


def ls(*, as_json: bool, **flags: object) -> None:
    services, groups = run_loop(with_client(flags, _all_with_groups))
    if as_json:
        say_json({"services": services})
        return
    rows = [
        (each.name, each.role, _state(each), _acts_for(each, groups), str(each.end_users))
        for each in services
    ]
    for line in table(("SERVICE", "ROLE", "STATE", "ACTS FOR", "END USERS"), rows):
        say(line)


def add(*, name: str, as_json: bool, **given: object) -> None:
    fields, flags = _fields(given)

    async def do(client: AsyncClient) -> Service:
        return await client.add_service(name, **await _with_group_id(client, fields))

    made = run_loop(with_client(flags, do))
    if as_json:
        say_json(made)
    else:
        say_aside(f"It has no token yet: `chatd service token {made.name} NAME` makes one.")


def change(*, name: str, **given: object) -> None:
    fields, flags = _fields(given)
    if not fields:
        raise Unusable("Say what to change, with --role, --name, --acts-for, --group or --end-users-max.")

    async def do(client: AsyncClient, service: Service) -> Service:
        return await client.change_service(service.id, **await _with_group_id(client, fields))

    run_loop(_with_service(flags, name, do))


def token(
    *, name: str, label: str, scopes: Sequence[str], days: int | None, as_json: bool, **flags: object
) -> None:
    fields: dict[str, Any] = {
        **({"scopes": list(scopes)} if scopes else {}),
        **({"days": days} if days is not None else {}),
    }

    async def do(client: AsyncClient, service: Service) -> NewToken:
        return await client.add_token(label, user_id=service.id, **fields)

    made = run_loop(_with_service(flags, name, do))
    if as_json:
        say_json(made)
        return
    say(made.token)
    say_aside("It is shown here, and never again.")


def end_users(*, name: str, as_json: bool, **flags: object) -> None:
    users = run_loop(_with_service(flags, name, _end_users))
    if as_json:
        say_json({"users": users})
        return
    for line in table(("END USER", "STATE", "ID"), [(u.external_id, _state(u), u.id) for u in users]):
        say(line)


def rm(*, name: str, chats: str, to: str | None, **flags: object) -> None:
    check_heir(chats, to)

    async def do(client: AsyncClient, service: Service) -> Service:
        heir = await user_named(client, to) if to is not None else None
        await client.delete_service(service.id, chats=chats, to=heir.id if heir is not None else None)
        return service

    service = run_loop(_with_service(flags, name, do))
    say_aside(f"{name} is deleted. `chatd user restore {service.id}` brings it back, within 14 days.")


async def _with_service(
    flags: Mapping[str, object], name: str, do: Callable[[AsyncClient, Service], Awaitable[T]]
) -> T:
    async def with_it(client: AsyncClient) -> T:
        for service in await _all(client):
            if service.name.casefold() == name.casefold():
                return await do(client, service)
        raise Unusable(f"There is no service {name!r}. `chatd service ls` lists them.")

    return await with_client(flags, with_it)


async def _all(client: AsyncClient) -> tuple[Service, ...]:
    return tuple([service async for service in client.services()])


async def _all_with_groups(client: AsyncClient) -> tuple[tuple[Service, ...], Mapping[str, str]]:
    """And the names of groups by their ids, where a service speaks for one."""
    services = await _all(client)
    if not any(each.acts_for == "group" for each in services):
        return services, {}
    return services, {group.id: group.name async for group in client.groups()}


def _acts_for(service: Service, groups: Mapping[str, str]) -> str:
    group = groups.get(service.group_id or "")
    return f"group {group}" if group is not None else service.acts_for


async def _end_users(client: AsyncClient, service: Service) -> tuple[EndUser, ...]:
    return tuple([user async for user in client.end_users(service.id)])


FIELDS = ("role", "display_name", "acts_for", "group", "end_users_max")


def _fields(given: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """What is said of the service, and what of the server."""
    fields = {name: given[name] for name in FIELDS if given.get(name) is not None}
    return fields, {name: value for name, value in given.items() if name not in FIELDS}


async def _with_group_id(client: AsyncClient, fields: Mapping[str, object]) -> dict[str, object]:
    """A group is named by people, and by its id for the server."""
    if "group" not in fields:
        return dict(fields)
    group = await group_named(client, str(fields["group"]))
    return {"acts_for": "group", **{k: v for k, v in fields.items() if k != "group"}, "group_id": group.id}


def _state(service: Service | EndUser) -> str:
    return "suspended" if service.suspended_at is not None else "active"
