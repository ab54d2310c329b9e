"""Which tools a chat has: made from the chat, its model and what it is set up with, always in one order.

`availability.py` says which of them chats of its kind may use. The others are known, and not offered.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from itertools import compress

import structlog
from msgspec import Struct

from chatd.agent.toolboxes.availability import (
    CLIENT_TOOLS,
    PROVIDER_TOOLS,
    WHY_INACTIVE,
    is_available,
    is_mcp_available,
)
from chatd.domain.chat import Chat
from chatd.domain.profile.chat_kind import PLANNING, ChatKind, kind_of
from chatd.domain.setup import Setup
from chatd.mcp.search.activation import FIND_TOOLS
from chatd.mcp.search.find_tools import ToolSearch, search_among
from chatd.mcp.tools.offered import McpTools, Offered
from chatd.providers.model import Model
from chatd.tools.tool import AnyTool
from chatd.tools.toolbox import Toolbox

log = structlog.get_logger()

# Tools that are not known before a chat is, such as those for its skills.
FindTools = Callable[[Chat, Model, Setup], Awaitable[Sequence[AnyTool]]]
# The tools of its MCP servers.
FindMcpTools = Callable[[Chat, Setup], Awaitable[McpTools]]


NO_MCP_TOOLS = McpTools()


async def no_mcp_tools(chat: Chat, setup: Setup) -> McpTools:  # noqa: ARG001
    return NO_MCP_TOOLS


class ToolGroup(Struct, frozen=True, kw_only=True):
    """Tools of ours that the same chats have."""

    tools: tuple[AnyTool, ...]
    needs_workspace: bool = False
    # Chats that plan have them without a workspace too.
    or_plans: bool = False
    # Only for models of providers of this type.
    provider: str | None = None
    # Whether this chat has them; None: every one.
    wanted: Callable[[Chat, Setup], Awaitable[bool]] | None = None

    def is_for(self, provider: str, *, has_workspace: bool, plans: bool = False) -> bool:
        has_place = has_workspace or not self.needs_workspace or (plans and self.or_plans)
        return self.provider in (None, provider) and has_place


class Toolboxes:
    """`groups` first, then what each of `found` finds, then the tools of MCP servers.

    A name that is taken already is left out.
    """

    def __init__(
        self,
        groups: Sequence[ToolGroup],
        found: Sequence[FindTools] = (),
        mcp_tools: FindMcpTools = no_mcp_tools,
    ) -> None:
        self._groups = groups
        self._found = found
        self._mcp_tools = mcp_tools
        # Of chats that have tools of these groups only. All of them share it, as it cannot change.
        self._of_groups: dict[tuple[ChatKind, tuple[bool, ...]], Toolbox] = {}

    async def of(self, chat: Chat, model: Model, setup: Setup) -> Toolbox:
        kind = kind_of(chat, setup)
        wanted = await self._wanted(chat, model, setup, plans=kind in PLANNING)
        of_groups = [tool for group in compress(self._groups, wanted) for tool in group.tools]
        found = [tool for find in self._found for tool in await find(chat, model, setup)]
        mcp = await self._mcp_tools(chat, setup)
        if found or setup.client_tools or mcp != NO_MCP_TOOLS:
            return _made(chat, model, setup, [*of_groups, *found], mcp)
        place = (kind, wanted)
        if place not in self._of_groups:
            self._of_groups[place] = _made(chat, model, setup, of_groups, mcp)
        return self._of_groups[place]

    async def _wanted(self, chat: Chat, model: Model, setup: Setup, *, plans: bool) -> tuple[bool, ...]:
        """Which of the groups this chat has."""
        has_workspace = setup.workspace is not None
        return tuple(
            [
                group.is_for(model.provider, has_workspace=has_workspace, plans=plans)
                and (group.wanted is None or await group.wanted(chat, setup))
                for group in self._groups
            ]
        )

    def names(self, provider: str, *, has_workspace: bool) -> frozenset[str]:
        """The names that a client tool cannot have beside a model of a provider of this type."""
        groups = (each for each in self._groups if each.is_for(provider, has_workspace=has_workspace))
        return frozenset(tool.name for group in groups for tool in group.tools)

    def all_names(self) -> frozenset[str]:
        return frozenset(tool.name for group in self._groups for tool in group.tools)


def _made(chat: Chat, model: Model, setup: Setup, ours: list[AnyTool], mcp: McpTools) -> Toolbox:
    kind = kind_of(chat, setup)
    theirs = [each for each in mcp.offered if is_mcp_available(each, kind)]
    taken = {tool.name for tool in ours} | {tool.name for tool in setup.client_tools}
    search = _search(theirs, model, taken)
    ours += [search.tool] if search is not None else []
    active = {tool.name for tool in ours if is_available(tool, kind)}
    active |= {each.tool.name for each in theirs} - {tool.name for tool in ours}
    has_clients = kind in CLIENT_TOOLS
    return Toolbox(
        _first_of_each_name((*ours, *(each.tool for each in mcp.offered)), chat),
        setup.client_tools if has_clients else (),
        active=active,
        hidden=setup.client_tools if not has_clients else (),
        why_inactive=WHY_INACTIVE[kind],
        provider_tools=kind in PROVIDER_TOOLS,
        search=search,
        missing=mcp.missing,
    )


def _search(offered: Sequence[Offered], model: Model, taken: Collection[str]) -> ToolSearch | None:
    """Where a tool of another kind has the name, there is no search, and the model is told of all tools."""
    return None if FIND_TOOLS in taken else search_among(offered, model.context_limit)


def _first_of_each_name(tools: Iterable[AnyTool], chat: Chat) -> Iterable[AnyTool]:
    """What an MCP server calls its tools is not ours to decide, and must not stop a chat."""
    named: dict[str, AnyTool] = {}
    for tool in tools:
        if tool.name in named:
            log.warning("tool.left_out", chat_id=chat.id, tool=tool.name, why="the name is taken")
        else:
            named[tool.name] = tool
    return named.values()
