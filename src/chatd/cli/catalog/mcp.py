"""chatd mcp: which MCP servers there are, adding and removing them, and signing in there."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from chatd.cli.context import run_loop
from chatd.cli.flags.mcp import URL_BEGINNINGS
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.remote import client_from
from chatd.client import ApiError, AsyncClient
from chatd.client.answers import (
    Disconnected,
    GroupName,
    McpConnection,
    McpProbe,
    McpServer,
    SignIn,
    Unreadable,
)
from chatd.errors import Misconfigured, Unusable
from chatd.kit.text import one_line, shortened

WRONG = 1
# Codes that are asked for in one go, at a terminal. The server takes five wrong ones.
CODES_MAX = 10
# The sign-in can still be finished.
_ASK_AGAIN = frozenset({"not_signed_in", "wrong_code"})
CONNECTION_WIDTH = 60
# Why a server cannot be used, for people.
_REASONS = {
    "disabled": "off",
    "slug_taken": "slug taken",
    "secret_missing": "no secret",
    "not_given": "not for you",
    "not_connected": "not connected",
}
# What is not worth a line of `show` when it is empty.
_ALWAYS = frozenset({"id", "slug", "scope", "transport", "auth_type", "availability", "enabled"})


def ls(*, as_json: bool, **flags: object) -> None:
    servers, unreadable = run_loop(_list(client_from(flags)))
    if as_json:
        say_json({"mcp_servers": servers, "unreadable": unreadable})
        return
    if not servers:
        say("There are none. `chatd mcp add` adds one.")
    else:
        for line in table(
            ("SERVER", "FOR", "TRANSPORT", "SIGN-IN", "CONNECTION", ""), [_row(each) for each in servers]
        ):
            say(line)
    for each in unreadable:
        say_aside(f"{each.name} cannot be used. {each.reason}")


def show(*, name: str, as_json: bool, **flags: object) -> None:
    server = run_loop(_show(client_from(flags), name))
    if as_json:
        say_json(server)
        return
    for field in server.__struct_fields__:
        value = getattr(server, field)
        if value or field in _ALWAYS:
            say(f"{field:<22} {_shown(value)}")


def add(*, slug: str, where: Sequence[str], as_json: bool, **given: Any) -> None:
    fields = _fields(where, given)
    server = run_loop(_add(client_from(given), slug, fields))
    if as_json:
        say_json(server)
        return
    whose = f"for {_for(server)}"
    next_step = f"Try it: chatd mcp test {server.slug}"
    if not server.auth_connected:
        next_step = f"Sign in there: chatd mcp connect {server.slug}"
    say(f"{server.slug} is there, {whose}. {next_step}")


def give(*, name: str, groups: Sequence[str], everyone: bool, **flags: object) -> None:
    server = run_loop(_give(client_from(flags), name, None if everyone else groups))
    say(f"{server.slug} is for {_for(server)}. Chats that have it keep it.")


def test(*, name: str, as_json: bool, **flags: object) -> None:
    probe = run_loop(_test(client_from(flags), name))
    if as_json:
        say_json(probe)
    else:
        took = f" ({probe.milliseconds} ms)" if probe.milliseconds else ""
        say(f"{'ok   ' if probe.is_well else 'WRONG'}  {probe.slug}  {probe.says}{took}")
        for tool in probe.tools:
            mark = "" if tool.offered else " (not offered)"
            say(f"  {tool.name}{mark}  {tool.description}".rstrip())
    if not probe.is_well:
        sys.exit(WRONG)


def connect(*, name: str, code: str | None, **flags: object) -> None:
    if code is None:
        sign_in = run_loop(_begin(client_from(flags), name))
        say(f"Open this address in a browser, and sign in:\n\n  {sign_in.authorization_url}\n")
        if not sys.stdin.isatty():
            say_aside(
                f"Then finish with the code that the browser shows: chatd mcp connect {name} --code CODE"
            )
            return
        _finish_by_hand(name, flags)
    else:
        run_loop(_finish(client_from(flags), name, code))
    say(f"{name} is connected. Your chats can use it.")


def _finish_by_hand(name: str, flags: Mapping[str, Any]) -> None:
    """A code is easily mistyped, and Enter pressed before there is one: the sign-in goes on."""
    for is_last in (*(False,) * (CODES_MAX - 1), True):
        code = str(click.prompt("The code that the browser shows then"))
        try:
            run_loop(_finish(client_from(flags), name, code))
        except ApiError as error:
            if is_last or error.code not in _ASK_AGAIN:
                raise
            say_aside(str(error))
        else:
            return


def disconnect(*, name: str, **flags: object) -> None:
    done = run_loop(_disconnect(client_from(flags), name))
    say(f"{name} is disconnected. The token is forgotten here.")
    if done.token_revocation_error is not None:
        say_aside(
            f"It may still be valid there. {done.token_revocation_error} See the settings of your account."
        )


def rm(*, name: str, **flags: object) -> None:
    run_loop(_remove(client_from(flags), name))
    say(f"{name} is gone, with its secrets and sign-ins.")


async def _list(client: AsyncClient) -> tuple[tuple[McpServer, ...], tuple[Unreadable, ...]]:
    async with client:
        return await client.mcp_servers(), await client.unreadable_mcp_servers()


async def _show(client: AsyncClient, name: str) -> McpServer:
    async with client:
        return await _called(client, name)


async def _add(client: AsyncClient, slug: str, fields: Mapping[str, Any]) -> McpServer:
    async with client:
        return await client.add_mcp_server(slug, **fields)


async def _give(client: AsyncClient, name: str, groups: Sequence[str] | None) -> McpServer:
    async with client:
        return await client.change_mcp_server((await _called(client, name)).id, groups=groups)


async def _test(client: AsyncClient, name: str) -> McpProbe:
    async with client:
        return await client.test_mcp_server((await _called(client, name)).id)


async def _begin(client: AsyncClient, name: str) -> SignIn:
    async with client:
        return await client.connect_mcp_server((await _called(client, name)).id)


async def _finish(client: AsyncClient, name: str, code: str) -> McpServer:
    async with client:
        return await client.finish_mcp_sign_in((await _called(client, name)).id, code)


async def _disconnect(client: AsyncClient, name: str) -> Disconnected:
    async with client:
        return await client.disconnect_mcp_server((await _called(client, name)).id)


async def _remove(client: AsyncClient, name: str) -> None:
    async with client:
        for each in await client.unreadable_mcp_servers():
            if name in (each.id, each.name):
                await client.delete_mcp_server(each.id)
                return
        await client.delete_mcp_server((await _called(client, name)).id)


async def _called(client: AsyncClient, name: str) -> McpServer:
    servers = await client.mcp_servers()
    for each in servers:
        if name in (each.slug, each.id):
            return each
    there = ", ".join(each.slug for each in servers)
    raise Unusable(
        f"There is no MCP server {name!r}. "
        + (f"These are there: {there}." if there else "There is none; `chatd mcp add` adds one.")
    )


def _fields(where: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """What the API is sent. Raises Misconfigured."""
    is_url = len(where) == 1 and where[0].startswith(URL_BEGINNINGS)
    fields: dict[str, Any] = {
        "scope": given["scope"] or ("user" if is_url and not given["groups"] else "deployment"),
        "availability": given["availability"],
        "display_name": given["display_name"],
        "tool_allow_list": given["allow"],
        "tool_deny_list": given["deny"],
        "groups": given["groups"],
    }
    if is_url:
        fields |= {"url": where[0], "transport": "sse" if given["sse"] else None, **_sign_in(given)}
    else:
        fields |= {
            "transport": "stdio",
            "command": where,
            "env": dict(_variable(each) for each in given["variables"]),
        }
    return {name: value for name, value in fields.items() if value}


def _sign_in(given: Mapping[str, Any]) -> dict[str, Any]:
    headers = dict(_header(each) for each in given["headers"])
    has_key = given["key_env"] is not None or given["key_file"] is not None
    if bool(headers) + has_key + given["oauth"] > 1:
        raise Misconfigured("Say one of --oauth, a key, and --header-env.")
    if headers:
        return {"auth_type": "custom_headers", "custom_headers": headers}
    if has_key:
        return {"auth_type": "api_key", "api_key_value": _key(given), "api_key_header": given["key_header"]}
    if given["oauth"]:
        secret = given["client_secret_env"]
        return {
            "auth_type": "oauth2",
            "oauth2_client_id": given["client_id"],
            "oauth2_client_secret": _from_environment(secret) if secret is not None else None,
            "oauth2_auth_url": given["auth_url"],
            "oauth2_token_url": given["token_url"],
            "oauth2_scopes": given["oauth_scopes"],
        }
    return {}


def _key(given: Mapping[str, Any]) -> str:
    if given["key_env"] is not None:
        return _from_environment(given["key_env"])
    file = given["key_file"]
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Misconfigured(f"Cannot read the key in {file}: {reason}.") from error


def _header(text: str) -> tuple[str, str]:
    name, _, variable = text.partition("=")
    if not variable:
        raise Misconfigured(f"Write --header-env {text} as NAME=VARIABLE: secrets are not written down here.")
    return name, _from_environment(variable)


def _variable(text: str) -> tuple[str, str]:
    name, is_given, value = text.partition("=")
    return name, value if is_given else _from_environment(name)


def _from_environment(variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    if not value:
        raise Misconfigured(f"The environment variable {variable} is not set.")
    return value


def _row(server: McpServer) -> tuple[str, ...]:
    reason = server.unavailable_reason
    marks = {
        _REASONS.get(reason or "", reason or ""): reason is not None,
        server.availability.replace("_", " "): server.availability != "default_on",
        "declared": server.declared,
    }
    return (
        server.slug,
        _for(server),
        server.transport,
        server.auth_type,
        shortened(_connection(server.connection), CONNECTION_WIDTH),
        ", ".join(word for word, holds in marks.items() if holds),
    )


def _for(server: McpServer) -> str:
    if server.scope != "deployment":
        return "you"
    if server.groups is None:
        return "all users"
    return ", ".join(each.name for each in server.groups) or "nobody"


def _connection(connection: McpConnection | None) -> str:
    match connection:
        case McpConnection(connected=True, tools=tools):
            return f"{tools} {'tool' if tools == 1 else 'tools'}"
        case McpConnection(problem=str(problem)):
            return f"failed: {one_line(problem)}"
        case _:
            return "-"


def _shown(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case tuple():
            return " ".join(each.name if isinstance(each, GroupName) else str(each) for each in value)
        case McpConnection():
            return _connection(value)
        case _:
            return str(value)
