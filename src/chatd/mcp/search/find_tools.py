"""find_tools: tells a model of tools that it was not told of yet."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta, Struct
from prometheus_client import Counter, Histogram

from chatd.domain.call import Effect
from chatd.domain.message import Message
from chatd.domain.part import Json
from chatd.mcp.search.activation import FIND_TOOLS, USES_MAX, Use, active, uses_in
from chatd.mcp.search.catalogue import catalogue
from chatd.mcp.search.deferred import Deferred, are_too_many, budget_of, deferred_of
from chatd.mcp.search.score import matches
from chatd.mcp.tools.offered import Offered
from chatd.tools.arguments import typed
from chatd.tools.tool import AnyTool, Setting, Tool, ToolError, touches_nothing

QUERIES_MAX = 10
NAMES_MAX = 40
WORDS_MAX = 16

CALLS = Counter("chatd_find_tools_calls", "Searches of models for tools of MCP servers.")
EMPTY = Counter("chatd_find_tools_empty", "Searches that found nothing.")
ACTIVATIONS = Counter("chatd_find_tools_activations", "Tools that models were told of after a search.")
MATCHES = Histogram(
    "chatd_find_tools_match_count", "Tools that a search found.", buckets=tuple(range(0, 22, 2))
)


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    queries: Annotated[
        tuple[str, ...],
        Meta(max_length=QUERIES_MAX, description=f"Searches, each of at most {WORDS_MAX} words."),
    ] = ()
    names: Annotated[
        tuple[str, ...], Meta(max_length=NAMES_MAX, description="Names of tools that you know already.")
    ] = ()


class ToolSearch:
    """The deferred tools of one chat, and which of them its model is told of now. See `Search`."""

    def __init__(self, tools: Sequence[Deferred], budget: int) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._tokens = {tool.name: tool.tokens for tool in tools}
        self._budget = budget
        self._uses: list[Use] = []
        self._followed: tuple[Sequence[Message], int] | None = None
        self._active: frozenset[str] = frozenset()
        # Found in the step that is under way: its searches see one another.
        self._found: dict[str, int] = {}
        self.tool: AnyTool = Tool(
            name=FIND_TOOLS,
            description=catalogue(tools, budget),
            arguments=typed(Args),
            effect=Effect.READ,
            run=self._run,
            touches=touches_nothing,
            serial=True,
        )

    def is_offered(self, name: str) -> bool:
        return name not in self._tools or name in self._active

    def follow(self, history: Sequence[Message]) -> None:
        """What the history shows decides. Only what is new of it is read."""
        known = self._followed[1] if self._followed is not None and self._followed[0] is history else 0
        if known > len(history) or not known:
            self._uses, known = [], 0
        self._uses = [*self._uses, *uses_in(history[known:], self._tokens)][-USES_MAX:]
        self._followed = (history, len(history))
        self._active = active(self._uses, self._tokens, self._budget)
        self._found = {}

    async def _run(self, args: Args, _: Setting) -> Json:
        if not args.queries and not args.names:
            raise ToolError("Give at least one of `queries` and `names`.")
        if any(len(query.split()) > WORDS_MAX for query in args.queries):
            raise ToolError(
                f"A query may have {WORDS_MAX} words at most. Use fewer words, or several queries."
            )
        found = matches(list(self._tools.values()), args.queries)
        named = [self._tools[name] for name in args.names if name in self._tools]
        wanted = dict.fromkeys(tool.name for tool in (*named, *found))
        CALLS.inc()
        MATCHES.observe(len(found))
        if not wanted:
            EMPTY.inc()
        activated = self._activate(wanted)
        ACTIVATIONS.inc(len(activated))
        return {
            "matches": [{"name": tool.name, "description": tool.summary} for tool in found],
            "activated": activated,
            "total_deferred": len(self._tools),
        }

    def _activate(self, names: Iterable[str]) -> list[str]:
        activated = []
        wanted = list(names)
        for name in wanted:
            left = self._budget - sum(self._found.values())
            if name not in self._found and self._found and self._tokens[name] > left:
                break
            self._found[name] = self._tokens[name]
            activated.append(name)
        if wanted and not activated:
            raise ToolError(
                "The room for descriptions of tools is used up by what you have just found. Call these "
                "tools, and search again in your next reply."
            )
        return activated


def search_among(offered: Sequence[Offered], context_limit: int) -> ToolSearch | None:
    """None: there are so few tools that a model is told of all of them."""
    tools = [deferred_of(each) for each in offered]
    budget = budget_of(context_limit)
    return ToolSearch(tools, budget) if are_too_many(tools, budget) else None
