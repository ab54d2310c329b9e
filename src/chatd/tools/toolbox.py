"""The tools of one chat: which there are, how a model is told of them, and how their calls are treated."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import Protocol

from msgspec import Struct

from chatd.domain.call import CallState, Effect, Kind, Plan
from chatd.domain.message import Message
from chatd.domain.part import Json, RunBy, ToolCall
from chatd.domain.setup import ClientTool
from chatd.kit.codec import encode
from chatd.tools.json_schema import as_object
from chatd.tools.tool import AnyTool

# Our own tools check their arguments; a client should not have to.
UNREADABLE = "The arguments are not a JSON object, so the tool was not called. Call it again with one."


class Offer(Struct, frozen=True, kw_only=True):
    """A tool as a model is told of it."""

    name: str
    description: str
    input_schema: Json


class Search(Protocol):
    """Says which tools a model is told of, where there are too many to tell of all. All can be called."""

    def follow(self, history: Sequence[Message]) -> None:
        """Decide by what the model sees of the history."""
        ...

    def is_offered(self, name: str) -> bool: ...


def _not_missing(_: str) -> str | None:
    return None


class Toolbox:
    """Our tools by name, and the client's. A name that both use is ours.

    `active` names the tools of ours that may be used in this chat; None means all. The others are
    known, so that a model that calls one is told the truth, but not offered; `why_inactive` is what it is
    told. `hidden` are tools of the client of which the same is true.
    `provider_tools` says whether the model is also offered what its provider runs itself.
    `missing` tells of a name that is unknown here why its tool is not there, if it should be.
    """

    def __init__(
        self,
        tools: Iterable[AnyTool] = (),
        client_tools: Iterable[ClientTool] = (),
        *,
        active: Collection[str] | None = None,
        hidden: Iterable[ClientTool] = (),
        why_inactive: str = "It may not be used in this chat now.",
        provider_tools: bool = True,
        search: Search | None = None,
        missing: Callable[[str], str | None] = _not_missing,
    ) -> None:
        self.missing = missing
        self.provider_tools = provider_tools
        self._search = search
        self._why_inactive = why_inactive
        self._hidden = frozenset(tool.name for tool in hidden)
        self._tools: dict[str, AnyTool] = {}
        for tool in tools:
            assert tool.name not in self._tools, f"two tools are called {tool.name}"
            self._tools[tool.name] = tool
        self._active = frozenset(self._tools if active is None else active)
        usable = [tool for tool in self._tools.values() if tool.name in self._active]
        self._client_tools = {
            tool.name: tool for tool in client_tools if tool.name not in {ours.name for ours in usable}
        }
        self.exclusive = frozenset(tool.name for tool in usable if tool.exclusive)
        self.serial = frozenset(tool.name for tool in usable if tool.serial)

    @property
    def follows_history(self) -> bool:
        """Whether what the model is told of depends on the history."""
        return self._search is not None

    def follow(self, history: Sequence[Message]) -> None:
        """Before the model is told of tools, and before they run: what it sees of the history may decide."""
        if self._search is not None:
            self._search.follow(history)

    def specs(self) -> tuple[Offer, ...]:
        """What the model is told: our tools first, then the client's."""
        if self._search is None:
            return self._specs
        return tuple(offer for offer in self._specs if self._search.is_offered(offer.name))

    def specs_bytes(self) -> int:
        """How long that is, as JSON."""
        return self._specs_bytes if self._search is None else len(encode(self.specs()))

    @cached_property
    def _specs_bytes(self) -> int:
        return len(encode(self._specs))

    @cached_property
    def _specs(self) -> tuple[Offer, ...]:
        ours = (
            Offer(name=tool.name, description=tool.description, input_schema=tool.arguments.schema)
            for tool in self._tools.values()
            if tool.name in self._active and tool.offered
        )
        theirs = (
            Offer(name=tool.name, description=tool.description, input_schema=as_object(tool.input_schema))
            for tool in self._client_tools.values()
        )
        return (*ours, *theirs)

    def find(self, name: str) -> AnyTool | None:
        """The tool of ours that has this name, active or not."""
        return self._tools.get(name)

    def is_active(self, name: str) -> bool:
        return name in self._active and name in self._tools

    def refusal(self, name: str) -> str | None:
        """What a model is told that calls a tool of this name, which is known and not active."""
        is_known = name in self._tools or name in self._hidden
        if not is_known or self.is_active(name) or name in self._client_tools:
            return None
        return f"Tool not active: {name}. {self._why_inactive} Go on without it."

    def kind(self, call: ToolCall) -> Kind:
        """Who runs the call. One of an unknown tool is ours: we answer that there is no such tool."""
        if call.provider_executed:
            return Kind.PROVIDER
        return Kind.CLIENT if call.tool_name in self._client_tools else Kind.LOCAL

    def run_by(self, name: str) -> RunBy | None:
        """Who runs the tool of this name. None: neither the server nor the client has it."""
        if name in self._client_tools:
            return RunBy.CLIENT
        return RunBy.SERVER if self.is_active(name) else None

    def server_of(self, name: str) -> str | None:
        """The MCP server whose tool this is, as people know it."""
        return self._tools[name].server_id if self.is_active(name) else None

    def plan(self, call: ToolCall, *, unfit: str | None = None) -> Plan:
        """How the ledger is to treat the call. One that is `unfit` to be run is answered with the reason."""
        theirs = self.kind(call) is Kind.CLIENT
        if unfit is None and theirs and not isinstance(call.args, dict | None):
            unfit = UNREADABLE
        if unfit is not None and not call.provider_executed:
            return _refused(call, unfit)
        if self.kind(call) is not Kind.LOCAL:
            return Plan(call_id=call.tool_call_id)
        if (refusal := self.refusal(call.tool_name)) is not None:
            # Also if it is active by the time at which the call would begin.
            return _refused(call, refusal)
        if not self.is_active(call.tool_name):
            # Nothing will run, so nothing can happen twice.
            return Plan(call_id=call.tool_call_id, effect=Effect.READ)
        effect = self._tools[call.tool_name].effect
        return Plan(call_id=call.tool_call_id, effect=effect, ours=True)

    def ends_turn(self, name: str) -> bool:
        """Whether a success of this tool is the last word of a turn."""
        tool = self._tools.get(name)
        return tool is not None and tool.ends_turn


def _refused(call: ToolCall, why: str) -> Plan:
    return Plan(call_id=call.tool_call_id, effect=Effect.READ, state=CallState.DENIED, ours=True, reason=why)
