"""Which tools a search means, the best first (pure)."""

from collections.abc import Sequence

from chatd.mcp.search.deferred import Deferred

MATCHES_MAX = 20

# What a word is worth, by where it is found.
NAME_WORD = 8
IN_NAME = 5
IN_DESCRIPTION = 2
PARAMETER = 1
SERVER = 1


def matches(tools: Sequence[Deferred], queries: Sequence[str]) -> list[Deferred]:
    """Each query adds to the score of a tool. Those with the same score stay in their order."""
    servers = {tool.server.lower() for tool in tools}
    asked = [_read(query, servers) for query in queries]
    scores = [sum(_score(tool, server, words) for server, words in asked) for tool in tools]
    found = [(score, tool) for score, tool in zip(scores, tools, strict=True) if score > 0]
    return [tool for _, tool in sorted(found, key=lambda each: -each[0])[:MATCHES_MAX]]


def _read(query: str, servers: set[str]) -> tuple[str | None, list[str]]:
    """`github: issue` is about one server; without such a server these are words like others."""
    before, colon, after = query.lower().partition(":")
    if colon and before.strip() in servers:
        return before.strip(), after.split()
    return None, query.lower().replace(":", " ").split()


def _score(tool: Deferred, server: str | None, words: Sequence[str]) -> int:
    if server is not None and tool.server.lower() != server:
        return 0
    return sum(_worth(tool, word) for word in words)


def _worth(tool: Deferred, word: str) -> int:
    in_name = NAME_WORD if word in tool.name_words else IN_NAME if word in tool.name.lower() else 0
    return (
        in_name
        + IN_DESCRIPTION * (word in tool.description)
        + PARAMETER * (word in tool.parameters)
        + SERVER * (word in tool.server.lower())
    )
