import json
from typing import Any

import pytest

from chatd.catalog.mcp.server import Transport
from chatd.mcp.workspace.declaration import (
    DECLARED_MAX,
    FILE_BYTES_MAX,
    BadDeclaration,
    DeclaredServer,
    digest_of,
    expanded,
    read_declaration,
)
from tests.traceability import proves


def declaring(**servers: Any) -> bytes:
    return json.dumps({"mcpServers": servers}).encode()


def problem_of(name: str = "x", **entry: Any) -> str | None:
    return read_declaration(declaring(**{name: entry})).problems.get(name)


def test_programs_and_addresses_are_read_by_name() -> None:
    data = declaring(
        web={"url": "https://mcp.example/mcp", "headers": {"X-Key": "${KEY}"}},
        old={"type": "sse", "url": "https://mcp.example/sse"},
        files={"command": "npx", "args": ["-y", "server"], "env": {"A": "b"}, "comment": "of others"},
        off={"command": "npx", "disabled": True},
    )

    declaration = read_declaration(data)

    assert declaration.digest == digest_of(data)
    assert declaration.problems == {}
    assert declaration.servers == (
        DeclaredServer(
            name="files", transport=Transport.STDIO, command=("npx", "-y", "server"), env={"A": "b"}
        ),
        DeclaredServer(name="old", transport=Transport.SSE, url="https://mcp.example/sse"),
        DeclaredServer(
            name="web",
            transport=Transport.STREAMABLE_HTTP,
            url="https://mcp.example/mcp",
            headers={"X-Key": "${KEY}"},
        ),
    )


@proves("mcp-skills-hooks", 35)
@pytest.mark.parametrize("name", ["a__b", "_a", "a_", "", "x" * 41, "a\x1b[31m", "a\u202eb"])
def test_a_name_that_would_be_taken_for_another_is_refused(name: str) -> None:
    declaration = read_declaration(declaring(**{name: {"command": "x"}, "good": {"command": "x"}}))

    assert [server.name for server in declaration.servers] == ["good"]
    assert len(declaration.problems) == 1


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"command": "x", "url": "https://mcp.example"},
        {"command": ""},
        {"command": "x\nrm -rf /"},
        {"command": "x", "args": ["a\u202eb"]},
        {"command": "x", "args": "not a list"},
        {"command": "x", "args": ["a"] * 200},
        {"command": "x", "env": {"A": "x" * 9000}},
        {"command": "x", "env": {"A": "b\0c"}},
        {"command": "x", "type": "http"},
        {"url": "https://mcp.example", "type": "stdio"},
        {"url": "https://mcp.example", "type": "carrier pigeon"},
        {"url": "https://mcp.example", "headers": {"a: b": "c"}},
        {"url": "https://mcp.example", "headers": {"a": "b\r\nc: d"}},
        "no object",
    ],
)
def test_what_cannot_be_used_is_told_and_left_out(entry: Any) -> None:
    declaration = read_declaration(declaring(x=entry, good={"command": "y"}))

    assert [server.name for server in declaration.servers] == ["good"]
    assert "x" in declaration.problems


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[]",
        b'{"mcpServers": []}',
        b"\xff\xfe",
        b"[" * 10_000,
        b" " * (FILE_BYTES_MAX + 1),
        declaring(**{f"s{number}": {"command": "x"} for number in range(DECLARED_MAX + 1)}),
    ],
)
def test_a_file_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(BadDeclaration):
        read_declaration(data)


def test_variables_have_the_values_of_the_workspace_or_those_given_beside_them() -> None:
    server = DeclaredServer(
        name="x",
        transport=Transport.STDIO,
        command=("${BIN}/run", "${MODE:-quick}", "$HOME", "${}", "${EMPTY:-}"),
        env={"KEY": "a${KEY}b${KEY}"},
    )

    filled = expanded(server, {"BIN": "/usr/bin", "KEY": "${BIN}"})

    assert filled.command == ("/usr/bin/run", "quick", "$HOME", "${}", "")
    assert filled.env == {"KEY": "a${BIN}b${BIN}"}


def test_a_variable_that_is_not_set_is_told() -> None:
    server = DeclaredServer(name="x", transport=Transport.SSE, url="https://mcp.example/${TOKEN}")

    with pytest.raises(BadDeclaration, match="TOKEN is not set"):
        expanded(server, {})
