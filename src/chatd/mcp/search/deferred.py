"""Tools that can be called, but of which a model is not told yet: what they cost, how they are found."""

import re
from collections.abc import Sequence

from msgspec import Struct

from chatd.kit.text import one_line, shortened
from chatd.mcp.tools.offered import Offered

# From this many on, tools are not told of until a model looks for them. Some providers take 128 at most.
TOLD_MAX = 64
# What tools may take of the context of a model: a tenth.
SHARE_OF_CONTEXT = 10
# Of a model whose limit is not known.
CONTEXT_UNKNOWN = 128_000
BYTES_PER_TOKEN = 2.5
SUMMARY_CHARACTERS_MAX = 80

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


class Deferred(Struct, frozen=True, kw_only=True):
    name: str
    server: str
    # The beginning of its description, on one line.
    summary: str
    # What the words of a search are compared with, in lower case.
    name_words: frozenset[str]
    description: str
    parameters: frozenset[str]
    tokens: int


def deferred_of(offered: Offered) -> Deferred:
    tool = offered.tool
    described = len(tool.name.encode()) + len(tool.description.encode())
    return Deferred(
        name=tool.name,
        server=offered.server,
        summary=shortened(one_line(tool.description), SUMMARY_CHARACTERS_MAX),
        name_words=frozenset(word.lower() for word in _WORD.findall(tool.name)),
        description=tool.description.lower(),
        parameters=frozenset(map(str.lower, tool.arguments.schema.get("properties", {}))),
        tokens=tokens_in(offered.schema_bytes + described),
    )


def tokens_in(size_bytes: int) -> int:
    return int(size_bytes / BYTES_PER_TOKEN) + 1


def budget_of(context_limit: int) -> int:
    """In tokens. A limit of 0 or less is unknown."""
    return (context_limit if context_limit > 0 else CONTEXT_UNKNOWN) // SHARE_OF_CONTEXT


def are_too_many(tools: Sequence[Deferred], budget: int) -> bool:
    return len(tools) > TOLD_MAX or sum(tool.tokens for tool in tools) > budget
