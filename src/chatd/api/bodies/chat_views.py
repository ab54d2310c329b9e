"""Shapes of chats as callers see them: the owner, and those with whom a chat was shared.

A field of one is a decision on who sees it: `tests/api/chats/sharing/test_who_sees_what.py` asks for it.
"""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.api.bodies.inputs import ClientToolInput, OptionsInput
from chatd.domain.chat import Reason, Status
from chatd.domain.message import Effort, Usage
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.texts import TitleBy
from chatd.domain.setup import Mode
from chatd.live.episodes.waits import HeldUp
from chatd.live.shapes import (
    Access,
    ChildrenView,
    FailureView,
    Moment,
    OwnerView,
    QueuedView,
    RetryView,
    WaitingFor,
)


class FoundView(Struct, frozen=True, kw_only=True):
    """Where the words of a search were found."""

    message_id: Annotated[int | None, Meta(description="The newest message with them; null: the title.")]
    snippet: Annotated[
        str, Meta(description="Some of the text around the first of them; empty for a very long message.")
    ]


class SharedChatView(Struct, frozen=True, kw_only=True):
    """What is seen of a chat by those with whom it was shared.

    Who acts in it or lists it without reading it is told whose it is and how it is; the rest is blank.
    """

    id: str
    owner_id: str
    owner: OwnerView
    access: Annotated[Access, Meta(description="What you are to the chat.")]
    shared: Annotated[bool, Meta(description="Whether somebody else was let read or write it.")]
    title: Annotated[str, Meta(description="Empty for who may not read it.")]
    status: Status
    archived: bool
    temporary: Annotated[
        bool, Meta(description="Whether it is removed an hour after its last turn has ended.")
    ]
    created_at: Moment
    updated_at: Moment
    parent_chat_id: str | None
    root_chat_id: str | None
    agent_type: Annotated[
        AgentType | None, Meta(description="Of a chat that works for another one: what it is for.")
    ]
    snapshot_version: int
    title_by: Annotated[
        TitleBy,
        Meta(
            description="Who named it. `fallback`: it is how the first message begins, and a model may "
            "find a better one. What a person chose is kept."
        ),
    ]
    last_turn_summary: Annotated[
        str | None,
        Meta(
            description="A few words for what the last turn has come to, by a model if one is at hand. "
            "null while the agent works, and of a turn that failed or was interrupted."
        ),
    ]
    summary: Annotated[
        str | None, Meta(description="What the chat is about, by a model; written anew every few turns.")
    ]
    # Only in the answer to a search.
    found: FoundView | UnsetType = UNSET
    pin_order: Annotated[int, Meta(description="Your own.")]
    has_unread: Annotated[
        bool,
        Meta(
            description="Whether the agent has said something that you have not read. Never of a chat "
            "that works for another one."
        ),
    ]
    last_read_message_id: Annotated[int, Meta(description="The newest message that you have read; 0: none.")]
    muted: Annotated[bool, Meta(description="Whether you want to be told nothing of it.")]
    last_error: FailureView | None
    retry: RetryView | None
    queue_length: int
    queue: Annotated[
        tuple[QueuedView, ...] | UnsetType, Meta(description="Left out for who may not speak.")
    ] = UNSET
    waiting_for: tuple[WaitingFor, ...]
    last_model: str | None
    last_reasoning_effort: Effort | None
    finish_reason: Reason | None
    children: Annotated[
        ChildrenView | UnsetType,
        Meta(
            description="The chats that work for this one, and those of them that wait. Where there are any, "
            "only `GET /chats/{chat_id}` and lists have it."
        ),
    ] = UNSET
    last_message_id: Annotated[
        int | None, Meta(description="The newest message of the history that people see.")
    ]
    # Known only to the server that drives the chat, and told only of one chat.
    held_up: HeldUp | None = None


class ChatView(SharedChatView, frozen=True, kw_only=True):
    """A chat as its owner sees it. Others are shown less of it: what is always there."""

    labels: dict[str, str]
    key: Annotated[str | None, Meta(description="The owner's own name for it.")]
    branch: int
    branch_count: int
    usage_total: Annotated[
        Usage,
        Meta(
            description="Of all model calls, also in branches that were left and of replies that were lost."
        ),
    ]
    cost_micros_total: Annotated[
        int,
        Meta(description="Of the same calls, as far as their prices are known. Millionths of the currency."),
    ]
    unpriced_calls: Annotated[int, Meta(description="Calls whose price is not known, and not in the total.")]
    context_dirty_since: Annotated[
        Moment | None,
        Meta(
            description="Since when the workspace is known to tell something else than the agent was told. "
            "`PUT …/context` has it read anew."
        ),
    ]
    # What the chat is set up with. It can be long: `GET /chats/{chat_id}` and answers to requests that set
    # it have it, lists do not.
    instructions: str | UnsetType = UNSET
    client_tools: tuple[ClientToolInput, ...] | UnsetType = UNSET
    client_deadline_seconds: int | UnsetType | None = UNSET
    options: OptionsInput | UnsetType = UNSET
    workspace: Annotated[
        str | UnsetType | None, Meta(description="The directory in which the agent works.")
    ] = UNSET
    mcp_servers: Annotated[
        tuple[str, ...] | UnsetType | None,
        Meta(description="The ids of its MCP servers; null: those that are on by default."),
    ] = UNSET
    mode: Annotated[
        Mode | UnsetType | None,
        Meta(
            description="`plan`: the agent looks around and proposes a plan; null: it does what it is asked."
        ),
    ] = UNSET
    delegation: Annotated[
        bool | UnsetType, Meta(description="Whether the agent may have others work for it.")
    ] = UNSET


class SharedSubmitted(SharedChatView, frozen=True, kw_only=True):
    """The same of a chat that was shared."""

    message_ids: tuple[int, ...]


class Submitted(ChatView, frozen=True, kw_only=True):
    """The chat afterwards."""

    message_ids: Annotated[
        tuple[int, ...], Meta(description="The messages that entered the history by it, in their order.")
    ]
