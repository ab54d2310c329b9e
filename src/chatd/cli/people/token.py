"""chatd token: tokens for programs, the caller's own; for administrators those of others, too."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.people.named import user_named, with_client
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import NewToken, Token

T = TypeVar("T")

DAY_LENGTH = len("2026-11-17")


def ls(*, of: str | None, as_json: bool, **flags: object) -> None:
    tokens = run_loop(_with_owner(flags, of, lambda client, owner: client.tokens(owner)))
    if as_json:
        say_json({"tokens": tokens})
        return
    header = ("ID", "NAME", "BEGINS", "ENDS", "USED", "SCOPES")
    for line in table(header, [_row(each) for each in tokens]):
        say(line)


def add(*, name: str, scopes: Sequence[str], days: int | None, as_json: bool, **flags: object) -> None:
    fields: dict[str, Any] = {
        **({"scopes": list(scopes)} if scopes else {}),
        **({"days": days} if days is not None else {}),
    }
    _show(run_loop(with_client(flags, lambda client: client.add_token(name, **fields))), as_json=as_json)


def rotate(*, token_id: str, of: str | None, old_seconds: int, as_json: bool, **flags: object) -> None:
    def do(client: AsyncClient, owner: str) -> Awaitable[NewToken]:
        return client.rotate_token(token_id, old_seconds=old_seconds, user_id=owner)

    made = run_loop(_with_owner(flags, of, do))
    _show(made, as_json=as_json)


def rm(*, token_id: str, of: str | None, **flags: object) -> None:
    run_loop(_with_owner(flags, of, lambda client, owner: client.revoke_token(token_id, owner)))


async def _with_owner(
    flags: Mapping[str, object], of: str | None, do: Callable[[AsyncClient, str], Awaitable[T]]
) -> T:
    """Given whose tokens are meant, as the server knows them: the caller's own, or another user's."""
    async with client_from(flags) as client:
        return await do(client, "me" if of is None else (await user_named(client, of)).id)


def _show(made: NewToken, *, as_json: bool) -> None:
    if as_json:
        say_json(made)
        return
    say(made.token)
    say_aside(f"It is shown here, and never again. It ends {_day(made.expires_at)}.")


def _row(token: Token) -> tuple[str, ...]:
    used = _day(token.used_at)
    return token.id, token.name, token.shown or "-", _day(token.expires_at), used, " ".join(token.scopes)


def _day(moment: str | None) -> str:
    return moment[:DAY_LENGTH] if moment is not None else "never"
