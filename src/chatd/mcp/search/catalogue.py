"""What a model is told of the tools that it can look for, as much as there is room for (pure)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from chatd.mcp.search.deferred import Deferred, tokens_in

CATALOGUE_TOKENS_MAX = 4000

INTRODUCTION = (
    "More tools are available than you are shown. Find those that you need with words that their names or "
    "descriptions may contain, or name them; from then on you can call them. A search like `github: issue` "
    "is about the tools of one server."
)


def catalogue(tools: Sequence[Deferred], budget: int) -> str:
    """The most telling form that fits into the budget, in tokens, and into the bound of all catalogues."""
    room = min(CATALOGUE_TOKENS_MAX, budget)
    forms: tuple[Callable[[Sequence[Deferred]], Iterator[str]], ...] = (_described, _named, _counted)
    for form in forms:
        text = "\n".join([INTRODUCTION, "", *form(tools)])
        if tokens_in(len(text.encode())) <= room:
            return text
    return f"{INTRODUCTION} There are {len(tools)}."


def _described(tools: Sequence[Deferred]) -> Iterator[str]:
    for server, of_server in groupby(tools, key=lambda tool: tool.server):
        yield f"{server}:"
        for tool in of_server:
            yield f"- {tool.name}: {tool.summary}" if tool.summary else f"- {tool.name}"


def _named(tools: Sequence[Deferred]) -> Iterator[str]:
    for server, of_server in groupby(tools, key=lambda tool: tool.server):
        yield f"{server}: {', '.join(tool.name for tool in of_server)}"


def _counted(tools: Sequence[Deferred]) -> Iterator[str]:
    for server, of_server in groupby(tools, key=lambda tool: tool.server):
        yield f"{server}: {sum(1 for _ in of_server)} tools"
