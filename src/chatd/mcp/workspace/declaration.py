"""`.mcp.json`: the MCP servers that a workspace declares (pure).

It comes with a repository, so that nothing of it is believed, and nothing of it is used before a person said
that this very file may be.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from chatd.catalog.mcp.server import Transport
from chatd.kit.text import is_plain
from chatd.mcp.tools.names import BETWEEN

FILE = ".mcp.json"
FILE_BYTES_MAX = 64 * 1024
DECLARED_MAX = 32
NAME_CHARACTERS_MAX = 40
VALUES_MAX = 100
VALUE_CHARACTERS_MAX = 8192

TYPES: Mapping[str, Transport] = {
    "stdio": Transport.STDIO,
    "http": Transport.STREAMABLE_HTTP,
    "streamable-http": Transport.STREAMABLE_HTTP,
    "streamable_http": Transport.STREAMABLE_HTTP,
    "sse": Transport.SSE,
}

# ${NAME}, and ${NAME:-what it is without one}.
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")


class BadDeclaration(Exception):
    """It cannot be used. Says why, for people."""


class DeclaredServer(Struct, frozen=True, kw_only=True):
    """As it is written, with its variables."""

    name: str
    transport: Transport
    url: str | None = None
    headers: Mapping[str, str] = {}
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = {}


class Declaration(Struct, frozen=True, kw_only=True):
    # Of the whole file: what a person trusts.
    digest: str
    # By name.
    servers: tuple[DeclaredServer, ...] = ()
    # Why others cannot be used, by what they are called.
    problems: Mapping[str, str] = {}


class _Entry(Struct, frozen=True, kw_only=True):
    """What others write into such files beside this is of no use here."""

    type: str | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str | None = None
    headers: dict[str, str] = {}
    disabled: bool = False


class _File(Struct, frozen=True, kw_only=True):
    servers: dict[str, Any] = msgspec.field(name="mcpServers", default={})


def read_declaration(data: bytes) -> Declaration:
    """Raises BadDeclaration when it is no such file at all."""
    if len(data) > FILE_BYTES_MAX:
        raise BadDeclaration(f"It has more than {FILE_BYTES_MAX // 1024} KiB.")
    try:
        entries = msgspec.json.decode(data, type=_File).servers
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadDeclaration(f"It cannot be read: {error}.") from error
    if len(entries) > DECLARED_MAX:
        raise BadDeclaration(f"It declares more than {DECLARED_MAX} servers.")
    servers: list[DeclaredServer] = []
    problems: dict[str, str] = {}
    for name in sorted(entries):
        try:
            server = _server(name, entries[name])
        except BadDeclaration as problem:
            problems[_shown(name)] = str(problem)
        else:
            servers += [server] if server is not None else []
    return Declaration(digest=digest_of(data), servers=tuple(servers), problems=problems)


def digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()


def expanded(server: DeclaredServer, environment: Mapping[str, str]) -> DeclaredServer:
    """With the values of its variables. Raises BadDeclaration when one is not set."""

    def fill(text: str) -> str:
        return _VARIABLE.sub(lambda found: _value(found, environment), text)

    return DeclaredServer(
        name=server.name,
        transport=server.transport,
        url=fill(server.url) if server.url is not None else None,
        headers={name: fill(value) for name, value in server.headers.items()},
        command=tuple(map(fill, server.command)),
        env={name: fill(value) for name, value in server.env.items()},
    )


def _value(found: re.Match[str], environment: Mapping[str, str]) -> str:
    name, otherwise = found[1], found[2]
    value = environment.get(name, otherwise)
    if value is None:
        raise BadDeclaration(f"The variable {name} is not set in the workspace.")
    return value


def _server(name: str, entry: Any) -> DeclaredServer | None:
    _check_name(name)
    try:
        given = msgspec.convert(entry, _Entry)
    except msgspec.ValidationError as error:
        raise BadDeclaration(f"It cannot be read: {error}.") from error
    if given.disabled:
        return None
    transport = _transport(given)
    if transport is Transport.STDIO:
        command = (given.command or "", *given.args)
        _check_values(command, given.env)
        return DeclaredServer(name=name, transport=transport, command=command, env=given.env)
    _check_values((given.url or "",), given.headers)
    if not all(_HEADER.fullmatch(header) for header in given.headers):
        raise BadDeclaration("A header has a name that cannot be sent.")
    return DeclaredServer(name=name, transport=transport, url=given.url, headers=given.headers)


def _transport(given: _Entry) -> Transport:
    if (given.command is None) is (given.url is None):
        raise BadDeclaration("It needs a `command` or a `url`, and not both.")
    usual = "stdio" if given.url is None else "http"
    transport = TYPES.get((given.type or usual).lower())
    if transport is None or (transport is Transport.STDIO) is (given.command is None):
        raise BadDeclaration(f"Its `type` must be one of {', '.join(TYPES)}, and fit what is declared.")
    return transport


def _check_name(name: str) -> None:
    if not name or len(name) > NAME_CHARACTERS_MAX or not is_plain(name):
        raise BadDeclaration(f"Its name must have 1 to {NAME_CHARACTERS_MAX} characters that can be shown.")
    if BETWEEN in name or name.startswith("_") or name.endswith("_"):
        raise BadDeclaration("Its name must not contain `__`, nor begin or end with `_`.")


def _check_values(values: tuple[str, ...], named: Mapping[str, str]) -> None:
    # People must see all there is to what they trust.
    if not values[0].strip() or not all(map(is_plain, (*values, *named))):
        raise BadDeclaration("It is empty, or has characters that cannot be shown on one line.")
    texts = (*values, *named, *named.values())
    if len(values) > VALUES_MAX or len(named) > VALUES_MAX:
        raise BadDeclaration(f"It has more than {VALUES_MAX} arguments, variables or headers.")
    if any(len(text) > VALUE_CHARACTERS_MAX for text in texts):
        raise BadDeclaration(f"One of its values has more than {VALUE_CHARACTERS_MAX} characters.")
    if any(map(_CONTROL.search, named.values())):
        raise BadDeclaration("One of its values has characters that cannot be sent.")


def _shown(name: str) -> str:
    return "".join(c if is_plain(c) else "?" for c in name[:NAME_CHARACTERS_MAX]) or "(no name)"
