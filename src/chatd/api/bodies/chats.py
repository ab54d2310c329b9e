"""Shapes of chats, and of lists of them."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.api.bodies.chat_views import ChatView
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
from chatd.api.bodies.inputs import InputPart, SetsUp
from chatd.api.bodies.messages import CarriedMessage
from chatd.api.bodies.shared import SOMETHING, RequestBody
from chatd.domain.limits import PARTS_PER_MESSAGE_MAX
from chatd.domain.message import Effort
from chatd.domain.setup import Mode
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
            "chat is unread again. It is your own, as the pin is."
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
    source: Annotated[
        Literal["mine", "shared", "all"],
        Meta(
            description="`mine`: your own. `shared`: those of others that were shared with you, with pins of "
            "your own. `all`: for administrators every chat and for services those of their end users, the "
            "newest first: whose it is and how it is, and nothing of what is said there."
        ),
    ] = "mine"
    owner: Annotated[
        Annotated[str, Meta(max_length=NAME_LENGTH_MAX)] | None,
        Meta(description="With `all`, which it implies: only chats of the user with this id."),
    ] = None
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


class ChildList(Struct, frozen=True, kw_only=True):
    """The chats that work for one, the one that was changed last first. `waiting_for` has no previews."""

    chats: tuple[ChatView, ...]


class ProposedTitle(Struct, frozen=True, kw_only=True):
    title: Annotated[str, Meta(description="Not kept: PATCH the chat with it, or with another one.")]


class ChatPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    chats: tuple[ChatView, ...]
    next: str | None = None
