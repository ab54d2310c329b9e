"""chatd user: who may use a server, for administrators."""

from collections.abc import Mapping, Sequence
from typing import Any

from chatd.accounts.ways_in.sign_in_codes import link_with
from chatd.cli.context import run_loop, settings_from
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.people.groups import group_named
from chatd.cli.people.named import all_users, check_heir, user_named, with_client, with_user
from chatd.cli.remote import url_from
from chatd.client import AsyncClient
from chatd.client.answers import NewUser, User
from chatd.errors import Unusable


def ls(*, as_json: bool, **flags: object) -> None:
    # Services have a list of their own: `chatd service ls`.
    users = run_loop(with_client(flags, lambda client: all_users(client, kind="person")))
    if as_json:
        say_json({"users": users})
        return
    rows = [(each.name, each.role, _state(each), each.display_name) for each in users]
    for line in table(("USER", "ROLE", "STATE", "NAME"), rows):
        say(line)


def add(
    *, name: str, role: str, display_name: str, groups: Sequence[str], as_json: bool, **flags: object
) -> None:
    async def do(client: AsyncClient) -> NewUser:
        ids = [(await group_named(client, each)).id for each in groups]
        return await client.add_user(name, role=role, display_name=display_name, groups=ids)

    made = run_loop(with_client(flags, do))
    assert made.code is not None
    link = link_at(flags, made.code)
    if as_json:
        say_json({"user": made, "link": link})
        return
    say(link)
    say_aside(f"Send this link to {made.name}. It signs them in once, within seven days.")


def change(
    *,
    name: str,
    role: str | None,
    display_name: str | None,
    email: str | None,
    no_password: bool,
    **flags: object,
) -> None:
    fields = {"role": role, "display_name": display_name, "email": email}
    given: dict[str, Any] = {key: value for key, value in fields.items() if value is not None}
    if no_password:
        given["password"] = None
    if not given:
        raise Unusable("Say what to change, with --role, --name, --email or --no-password.")
    run_loop(with_user(flags, name, lambda client, user: client.change_user(user.id, **given)))


def suspend(*, name: str, **flags: object) -> None:
    run_loop(with_user(flags, name, lambda client, user: client.suspend_user(user.id)))
    say_aside(f"{name} is shut out, and their agents stop. `chatd user activate {name}` takes it back.")


def activate(*, name: str, **flags: object) -> None:
    run_loop(with_user(flags, name, lambda client, user: client.activate_user(user.id)))


def rm(*, name: str, chats: str, to: str | None, **flags: object) -> None:
    check_heir(chats, to)
    user = run_loop(with_user(flags, name, lambda client, user: _delete(client, user, chats, to)))
    say_aside(f"{name} is deleted. `chatd user restore {user.id}` brings them back, within 14 days.")


def restore(*, user_id: str, **flags: object) -> None:
    user = run_loop(with_client(flags, lambda client: client.restore_user(user_id)))
    way_in = (
        f"`chatd service token {user.name} NAME` makes one."
        if user.kind == "service"
        else f"`chatd user link {user.name}` makes a link."
    )
    say_aside(f"{user.name} is there again, without tokens. {way_in}")


def link_at(flags: Mapping[str, object], code: str) -> str:
    """Where a browser opens it."""
    settings = settings_from({name: flags.get(name) for name in ("config", "data_dir")})
    return link_with(settings.public_url or url_from(flags, settings), code)


async def _delete(client: AsyncClient, user: User, chats: str, to: str | None) -> User:
    heir = await user_named(client, to) if to is not None else None
    await client.delete_user(user.id, chats=chats, to=heir.id if heir is not None else None)
    return user


def _state(user: User) -> str:
    return "suspended" if user.suspended_at is not None else "active"
