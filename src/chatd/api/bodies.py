"""The shapes that cross the wire: what callers may send, and what they get.

OpenAPI and the clients are made from these. In a request an unknown field is refused: it is a
wish that would otherwise be forgotten. In an answer fields are only ever added.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.domain.chat import Status
from chatd.domain.message import Effort, Role, Usage
from chatd.domain.part import Content
from chatd.domain.transitions.send_message import When

CLIENT_TOOLS_MAX = 250
PIN_ORDER_MAX = 2**31 - 1
NAME_LENGTH_MAX = 200
PAGE_MAX = 200
CURSOR_LENGTH_MAX = 500
ID_MAX = 2**63 - 1

# RFC 3339, in UTC.
Moment: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=NAME_LENGTH_MAX)]
Line: TypeAlias = Annotated[int, Meta(ge=0, le=ID_MAX)]
Id: TypeAlias = Annotated[int, Meta(ge=0, le=ID_MAX)]
Limit: TypeAlias = Annotated[int, Meta(ge=1, le=PAGE_MAX, description="How many to return at most.")]
Labels: TypeAlias = Annotated[
    dict[str, str],
    Meta(description="Up to 50. A key has 1 to 64 letters, digits and ._/-, a value 1 to 256 bytes."),
]
Title: TypeAlias = Annotated[
    str, Meta(description="1 to 200 characters on one line; blanks around it are removed.")
]
PinOrder: TypeAlias = Annotated[
    int, Meta(ge=0, le=PIN_ORDER_MAX, description="Pinned chats come first, the lowest on top; 0 unpins.")
]


class _Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Nothing(_Request, frozen=True, kw_only=True):
    """No parameters, or no body."""


class _InputPart(_Request, frozen=True, kw_only=True, tag_field="type"):
    pass


class TextInput(_InputPart, frozen=True, kw_only=True, tag="text"):
    text: Annotated[str, Meta(description="Not blank.")]


class FileInput(_InputPart, frozen=True, kw_only=True, tag="file"):
    file_id: Name
    media_type: Name
    name: str | None = None


class FileReferenceInput(_InputPart, frozen=True, kw_only=True, tag="file-reference"):
    file_name: Annotated[str, Meta(min_length=1)]
    start_line: Line | None = None
    end_line: Line | None = None
    content: str = ""


InputPart: TypeAlias = TextInput | FileInput | FileReferenceInput


class ClientToolInput(_Request, frozen=True, kw_only=True):
    """A tool that the caller runs when the agent asks for it."""

    name: Name
    description: str = ""
    input_schema: Annotated[dict[str, Any] | None, Meta(description="A JSON schema.")] = None


class CreateChat(_Request, frozen=True, kw_only=True):
    content: Annotated[tuple[InputPart, ...], Meta(description="The first message; at least one part.")]
    title: Title | None = None
    labels: Labels | None = None
    client_tools: Annotated[tuple[ClientToolInput, ...], Meta(max_length=CLIENT_TOOLS_MAX)] | None = None
    model: Annotated[Name | None, Meta(description="provider/model")] = None
    reasoning_effort: Effort | None = None


class PatchChat(_Request, frozen=True, kw_only=True):
    """What is not named stays as it is."""

    title: Title | UnsetType = UNSET
    labels: Labels | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    pin_order: PinOrder | UnsetType = UNSET


class ListChats(_Request, frozen=True, kw_only=True):
    limit: Limit = 50
    cursor: Annotated[
        Annotated[str, Meta(max_length=CURSOR_LENGTH_MAX)] | None,
        Meta(description="`next` of the page before."),
    ] = None
    title: Annotated[str, Meta(max_length=NAME_LENGTH_MAX, description="A part of the title.")] = ""
    archived: bool = False
    label: Annotated[
        tuple[str, ...], Meta(description="`key:value`; may be repeated, then all must match.")
    ] = ()


class ListMessages(_Request, frozen=True, kw_only=True):
    before_id: Annotated[Id | None, Meta(description="Only older ones, newest first.")] = None
    after_id: Annotated[
        Id | None, Meta(description="Only newer ones; oldest first, unless before_id is given too.")
    ] = None
    limit: Limit = 50
    branch: Annotated[Id | None, Meta(description="A branch that an edit has left.")] = None


class FailureView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    message: str
    kind: str
    retryable: bool
    detail: str | None = None
    provider: str | None = None
    status_code: int | None = None


class RetryView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An automatic retry that is pending."""

    attempt: int
    delay_ms: int
    error: str
    kind: str
    retrying_at: str
    provider: str | None = None
    status_code: int | None = None


class QueuedView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message that waits for the running turn."""

    id: int
    chat_id: str
    content: Content
    created_at: Moment
    created_by: str
    when: When
    model: str | None = None
    reasoning_effort: Effort | None = None


Awaited: TypeAlias = Literal["result", "approval", "answer"]


class WaitingFor(Struct, frozen=True, kw_only=True):
    """A call that somebody must answer: a client with a result, a person with an approval or an answer."""

    tool_call_id: str
    tool_name: str
    args: Any
    kind: Awaited
    deadline: Moment | None


class ChatView(Struct, frozen=True, kw_only=True):
    id: str
    owner_id: str
    title: str
    status: Status
    archived: bool
    labels: dict[str, str]
    pin_order: int
    last_error: FailureView | None
    retry: RetryView | None
    queue: tuple[QueuedView, ...]
    waiting_for: tuple[WaitingFor, ...]
    created_at: Moment
    updated_at: Moment
    last_model: str | None
    last_reasoning_effort: Effort | None
    parent_chat_id: str | None
    root_chat_id: str | None
    branch: int
    branch_count: int
    snapshot_version: int


class ChatPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    chats: tuple[ChatView, ...]
    next: str | None = None


class MessageView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    chat_id: str
    role: Role
    content: Content
    created_at: Moment
    created_by: str | None = None
    model: str | None = None
    reasoning_effort: Effort | None = None
    usage: Usage | None = None
    runtime_ms: int | None = None


class MessagePage(Struct, frozen=True, kw_only=True):
    messages: tuple[MessageView, ...]
    has_more: bool
    # Only on the first page: what waits belongs to no place in the history.
    queued_messages: tuple[QueuedView, ...] | UnsetType = UNSET


class Health(Struct, frozen=True, kw_only=True):
    status: Literal["ok", "ready"]


class ErrorDetail(Struct, frozen=True, kw_only=True, omit_defaults=True):
    code: Annotated[str, Meta(description="For programs.")]
    message: Annotated[str, Meta(description="For people.")]
    field: Annotated[str | None, Meta(description="Where in the request the problem is.")] = None
    hint: Annotated[str | None, Meta(description="What to do next.")] = None


class ErrorBody(Struct, frozen=True, kw_only=True):
    error: ErrorDetail
