"""Shapes of chats, and of lists of them."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.api.bodies.fields import (
    CURSOR_LENGTH_MAX,
    HISTORY_MESSAGES_MAX,
    KEY_LENGTH_MAX,
    LABELS_MAX,
    NAME_LENGTH_MAX,
    QUERY_LENGTH_MAX,
    ChosenServers,
    Id,
    Key,
    Labels,
    Limit,
    Name,
    PinOrder,
    Title,
    WantedLabel,
)
from chatd.api.bodies.inputs import ClientToolInput, InputPart, OptionsInput, SetsUp
from chatd.api.bodies.messages import CarriedMessage
from chatd.api.bodies.shared import SOMETHING, RequestBody
from chatd.domain.chat import Reason, Status
from chatd.domain.limits import PARTS_PER_MESSAGE_MAX
from chatd.domain.message import Effort, Usage
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.texts import TitleBy
from chatd.domain.setup import Mode
from chatd.live.episodes.waits import HeldUp
from chatd.live.shapes import ChildrenView, FailureView, Moment, QueuedView, RetryView, WaitingFor
from chatd.workspaces.places import PATH_BYTES_MAX


class CreateChat(SetsUp, frozen=True, kw_only=True, omit_defaults=True):
    content: Annotated[
        tuple[InputPart, ...],
        Meta(
            description="The first message; at least one part.",
            max_length=PARTS_PER_MESSAGE_MAX,
            extra_json_schema=SOMETHING,
        ),
    ]
    history: Annotated[
        tuple[CarriedMessage, ...],
        Meta(
            max_length=HISTORY_MESSAGES_MAX,
            description="What was said elsewhere before `content`: messages as in an export. With it a body "
            "may have up to 8 MiB instead of 256 KiB; one that is so large counts as an import.",
        ),
    ] = ()
    title: Title | None = None
    labels: Labels | None = None
    model: Annotated[Name | None, Meta(description="provider/model")] = None
    reasoning_effort: Effort | None = None
    key: Key | None = None
    message_key: Annotated[
        Key | None,
        Meta(
            description="The same for the first message: sent to the chat once more, it is answered with it."
        ),
    ] = None
    temporary: Annotated[
        bool,
        Meta(
            description="In no list and in no search: it is found by its id and its key alone. It is removed "
            "an hour after its last turn has ended, with its files."
        ),
    ] = False
    workspace: Annotated[
        Annotated[str, Meta(min_length=1, max_length=PATH_BYTES_MAX)] | UnsetType | None,
        Meta(
            description="The directory in which the agent works: the one of the server, or one inside of it. "
            "null: none. Not named: that of the server, if it has one."
        ),
    ] = UNSET


class PatchChat(RequestBody, frozen=True, kw_only=True):
    """What is not named stays as it is."""

    title: Title | UnsetType = UNSET
    labels: Labels | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    pin_order: PinOrder | UnsetType = UNSET
    last_read_message_id: Annotated[
        Id | UnsetType,
        Meta(
            description="The newest message that you have read. It never moves back, but for 0: then the "
            "chat is unread again. Only the owner of a chat reads it."
        ),
    ] = UNSET
    mcp_servers: Annotated[
        ChosenServers | UnsetType | None,
        Meta(description="The MCP servers of this chat from its next step on, as with a message."),
    ] = UNSET
    mode: Annotated[
        Mode | UnsetType | None,
        Meta(description="`plan` or null, from its next step on, as with a message."),
    ] = UNSET
    delegation: Annotated[
        bool | UnsetType,
        Meta(description="Whether others may work for the agent, from its next step on, as with a message."),
    ] = UNSET


class ListChats(RequestBody, frozen=True, kw_only=True):
    limit: Limit = 50
    cursor: Annotated[
        Annotated[str, Meta(max_length=CURSOR_LENGTH_MAX)] | None,
        Meta(description="`next` of the page before."),
    ] = None
    q: Annotated[
        str,
        Meta(
            max_length=QUERY_LENGTH_MAX,
            description="Words that are all in one message, or in the title. The chats of the newest such "
            "messages come first, each once, and `found` tells the message. A page may be short, or even "
            "empty, while there is a `next`.",
        ),
    ] = ""
    title: Annotated[str, Meta(max_length=NAME_LENGTH_MAX, description="A part of the title.")] = ""
    archived: bool = False
    unread: Annotated[
        bool | None, Meta(description="Only chats with something unread; false: only the others.")
    ] = None
    label: Annotated[
        tuple[WantedLabel, ...],
        Meta(
            max_length=LABELS_MAX, description="`key:value`; may be repeated, then all must match; up to 50."
        ),
    ] = ()
    key: Annotated[
        Annotated[str, Meta(min_length=1, max_length=KEY_LENGTH_MAX)] | None,
        Meta(
            description="The chat that was made with this key, also in the archive. Goes with nothing else."
        ),
    ] = None


class InterruptTurn(RequestBody, frozen=True, kw_only=True):
    message_id: Annotated[
        Id | None,
        Meta(description="Stop only the turn of this message; if a newer one runs: 409 `newer_turn`."),
    ] = None
    cascade: Annotated[
        bool, Meta(description="Stop the chats that work for this one as well. false: they go on.")
    ] = True


class FoundView(Struct, frozen=True, kw_only=True):
    """Where the words of a search were found."""

    message_id: Annotated[int | None, Meta(description="The newest message with them; null: the title.")]
    snippet: Annotated[
        str, Meta(description="Some of the text around the first of them; empty for a very long message.")
    ]


class ChatView(Struct, frozen=True, kw_only=True):
    id: str
    owner_id: str
    title: str
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
    status: Status
    archived: bool
    labels: dict[str, str]
    # Only in the answer to a search.
    found: FoundView | UnsetType = UNSET
    key: Annotated[str | None, Meta(description="The owner's own name for it.")]
    temporary: Annotated[
        bool, Meta(description="Whether it is removed an hour after its last turn has ended.")
    ]
    pin_order: int
    has_unread: Annotated[
        bool,
        Meta(
            description="Whether the agent has said something that the owner has not read. Never of a chat "
            "that works for another one."
        ),
    ]
    last_read_message_id: Annotated[
        int, Meta(description="The newest message that the owner has read; 0: none.")
    ]
    last_error: FailureView | None
    retry: RetryView | None
    queue: tuple[QueuedView, ...]
    waiting_for: tuple[WaitingFor, ...]
    created_at: Moment
    updated_at: Moment
    last_model: str | None
    last_reasoning_effort: Effort | None
    finish_reason: Reason | None
    parent_chat_id: str | None
    root_chat_id: str | None
    agent_type: Annotated[
        AgentType | None, Meta(description="Of a chat that works for another one: what it is for.")
    ]
    children: Annotated[
        ChildrenView | UnsetType,
        Meta(
            description="The chats that work for this one, and those of them that wait. Where there are any, "
            "only `GET /chats/{chat_id}` and lists have it."
        ),
    ] = UNSET
    branch: int
    branch_count: int
    snapshot_version: int
    last_message_id: Annotated[
        int | None, Meta(description="The newest message of the history that people see.")
    ]
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
    # Known only to the server that drives the chat, and told only of one chat.
    held_up: HeldUp | None = None
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


class ChildList(Struct, frozen=True, kw_only=True):
    """The chats that work for one, the one that was changed last first. `waiting_for` has no previews."""

    chats: tuple[ChatView, ...]


class Submitted(ChatView, frozen=True, kw_only=True):
    """The chat afterwards."""

    message_ids: Annotated[
        tuple[int, ...], Meta(description="The messages that entered the history by it, in their order.")
    ]


class ProposedTitle(Struct, frozen=True, kw_only=True):
    title: Annotated[str, Meta(description="Not kept: PATCH the chat with it, or with another one.")]


class ChatPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    chats: tuple[ChatView, ...]
    next: str | None = None
