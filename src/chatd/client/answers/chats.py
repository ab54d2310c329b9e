"""Chats, and lists of them."""

from typing import Any

from msgspec import Struct

from chatd.client.answers.approvals import Awaited
from chatd.client.answers.messages import Failure, Queued, Retry
from chatd.client.answers.sharing import Owner
from chatd.client.pages import CursorPage


class Found(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where the words of a search were found; without a message, in the title."""

    message_id: int | None = None
    snippet: str = ""


class WaitingChild(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A chat that works for another one and waits. It is answered with its own id."""

    chat_id: str
    title: str = ""
    agent_type: str | None = None
    waiting_for: tuple[Awaited, ...] = ()


class Children(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The chats that work for one: how many, how many are at it, and those that wait."""

    count: int = 0
    at_work: int = 0
    waiting: tuple[WaitingChild, ...] = ()


class Chat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`status` is waiting, running, interrupting, requires_action or error."""

    id: str
    title: str
    status: str
    created_at: str = ""
    updated_at: str = ""
    owner_id: str = ""
    owner: Owner = Owner()
    # What the caller is to it: owner, writer, reader, steward or admin. Of a chat of others less is told.
    access: str = "owner"
    shared: bool = False
    archived: bool = False
    labels: dict[str, str] = {}
    # Only in the answer to a search.
    found: Found | None = None
    # The owner's own name for it.
    key: str | None = None
    # Removed an hour after its last turn has ended, and in no list.
    temporary: bool = False
    # The caller's own, as the next three are.
    pin_order: int = 0
    # Whether the agent has said something after the message that the caller has read last.
    has_unread: bool = False
    last_read_message_id: int = 0
    muted: bool = False
    last_error: Failure | None = None
    retry: Retry | None = None
    # Readers are told how long it is, and no more.
    queue: tuple[Queued, ...] = ()
    queue_length: int = 0
    waiting_for: tuple[Awaited, ...] = ()
    # Only of one chat and in lists.
    children: Children = Children()
    last_model: str | None = None
    last_reasoning_effort: str | None = None
    finish_reason: str | None = None
    parent_chat_id: str | None = None
    root_chat_id: str | None = None
    # Of a chat that works for another one: general or explore.
    agent_type: str | None = None
    branch: int = 1
    branch_count: int = 1
    snapshot_version: int = 0
    # The newest message of the history that people see.
    last_message_id: int | None = None
    # Of all model calls, also in branches that were left and of replies that were lost.
    usage_total: dict[str, int] = {}
    # Of the calls whose price is known.
    cost_micros_total: int = 0
    unpriced_calls: int = 0
    # Since when the workspace is known to tell something else than the agent was told.
    context_dirty_since: str | None = None
    # Who named it: `fallback`, `model` or `person`.
    title_by: str = ""
    # What the last turn has come to, and what the chat is about, in a few words.
    last_turn_summary: str | None = None
    summary: str | None = None
    # What the chat is set up with; not in lists.
    instructions: str = ""
    client_tools: tuple[dict[str, Any], ...] = ()
    client_deadline_seconds: int | None = None
    options: dict[str, Any] = {}
    # The directory in which its agent works; only of a chat that is shown by itself.
    workspace: str | None = None
    # None: those that are on by default.
    mcp_servers: tuple[str, ...] | None = None
    # `plan`: its agent proposes a plan, and changes nothing else.
    mode: str | None = None
    # Whether the agent may have others work for it.
    delegation: bool = True


class Submitted(Chat, frozen=True, kw_only=True, omit_defaults=True):
    """The chat afterwards, and the messages that entered its history."""

    message_ids: tuple[int, ...] = ()


class ChildList(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The chats that work for one, the one that was changed last first."""

    chats: tuple[Chat, ...]


class ChatPage(CursorPage[Chat], frozen=True, kw_only=True, omit_defaults=True):
    chats: tuple[Chat, ...]

    @property
    def items(self) -> tuple[Chat, ...]:
        return self.chats


class ProposedTitle(Struct, frozen=True, kw_only=True):
    title: str


class FoundFiles(Struct, frozen=True, kw_only=True):
    """Files of a workspace, by their paths from its root on."""

    files: tuple[str, ...]
