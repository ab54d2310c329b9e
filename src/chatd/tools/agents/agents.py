"""What the tools for agents share: the chats that work for a chat, and how models are told of them."""

from msgspec import Struct

from chatd.domain.chat import Chat, Status
from chatd.domain.family import FamilyLimits, check_room, check_spent
from chatd.domain.ids import ChatId
from chatd.domain.part import Json
from chatd.domain.profile.agent_type import AgentType
from chatd.errors import LimitReached, Refused
from chatd.kit.clock import Clock
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.families import read_children, read_waiting_for
from chatd.storage.transactions.transact import Store
from chatd.tools.agents.models import AgentModels, NoAgentModels
from chatd.tools.tool import Setting, ToolError

GONE = "This chat was deleted."


class Agents(Struct, frozen=True, kw_only=True):
    """What these tools work with; the same for every chat of a process."""

    store: Store
    clock: Clock
    models: AgentModels = NoAgentModels()
    limits: FamilyLimits = FamilyLimits()

    async def parent(self, setting: Setting) -> Chat:
        """The chat that calls, as it is now. Raises ToolError when it cannot have agents."""
        chat = await read_chat(self.store.db, setting.chat_id)
        if chat is None:
            raise ToolError(GONE)
        if chat.parent_id is not None:
            raise ToolError("This chat works for another one, and cannot have agents of its own.")
        return chat

    async def child(self, setting: Setting, chat_id: str) -> Chat:
        """An agent of the chat that calls. Raises ToolError for every other id."""
        child = await read_chat(self.store.db, ChatId(chat_id))
        if child is None or child.parent_id != setting.chat_id:
            raise ToolError(f"There is no agent {chat_id!r} of this chat. list_agents tells which there are.")
        return child

    async def children(self, setting: Setting) -> tuple[Chat, ...]:
        """All agents of the chat that calls, the one that was changed last first."""
        found = await read_children(self.store.db, setting.chat_id)
        return tuple(child for child in found if not child.archived)

    async def check_room(self, parent: Chat, child_id: ChatId) -> None:
        """Raises ToolError when this chat may have no further agent. One that there is already is none."""
        children = await read_children(self.store.db, parent.id)
        if any(child.id == child_id for child in children):
            return
        try:
            check_room(parent, children, self.limits)
        except LimitReached as refusal:
            raise refused(refusal) from refusal

    async def check_spent(self, setting: Setting) -> None:
        """Raises ToolError when the family has cost or used as much as it may."""
        if not self.limits.bound_spending:
            return
        try:
            check_spent((await self.parent(setting), *await self.children(setting)), self.limits)
        except LimitReached as refusal:
            raise refused(refusal) from refusal

    async def describe(self, child: Chat) -> dict[str, Json]:
        """An agent as its parent's model is told of it, with what it waits for, if that is a person."""
        described: dict[str, Json] = {
            "chat_id": child.id,
            "title": child.title,
            "status": child.status.value,
            "type": type_of(child).value,
        }
        if child.status is Status.REQUIRES_ACTION:
            described["waiting_for"] = list(await self.waiting_for(child))
        return described

    async def waiting_for(self, child: Chat) -> tuple[str, ...]:
        calls = await read_waiting_for(self.store.db, child.id)
        return tuple(f"a person's answer to a call of {call.tool}" for call in calls)


def type_of(child: Chat) -> AgentType:
    return child.agent_type or AgentType.GENERAL


def refused(refusal: Refused, child: Chat | None = None) -> ToolError:
    """What the rules say no to, in words for a model."""
    about = f" (an agent of the type {type_of(child)})" if child is not None else ""
    return ToolError(f"{refusal.message.rstrip('.')}{about}. {refusal.hint or ''}".rstrip())
