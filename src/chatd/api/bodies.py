"""The shapes that cross the wire: what callers may send, and what they get.

OpenAPI and the clients are made from these. In a request an unknown field is refused: it is a
wish that would otherwise be forgotten. In an answer fields are only ever added.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.api.fields import (
    ACTIONS_MAX,
    CARRIED_MESSAGES_MAX,
    CLIENT_TOOLS_MAX,
    CURSOR_LENGTH_MAX,
    HISTORY_MESSAGES_MAX,
    KEY_LENGTH_MAX,
    LABELS_MAX,
    NAME_LENGTH_MAX,
    OUTPUT_TOKENS_MAX,
    PROMPTS_MAX,
    QUERY_LENGTH_MAX,
    REASON_LENGTH_MAX,
    CallName,
    ChosenServers,
    Id,
    Key,
    Labels,
    Limit,
    Line,
    Name,
    OfMessage,
    PinOrder,
    Prompt,
    Title,
    WantedLabel,
)
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import ApprovalScope
from chatd.domain.chat import Reason, Status
from chatd.domain.limits import CLIENT_ANSWER_SECONDS_MAX, PARTS_PER_MESSAGE_MAX
from chatd.domain.message import Effort, Role, Usage
from chatd.domain.part import Content
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.texts import SUMMARY_LENGTH_MAX, TURN_LABEL_LENGTH_MAX, TitleBy
from chatd.domain.setup import Mode
from chatd.domain.transitions.messages.edit_message import QueueOnEdit
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.workspace.context import ResourceKind, ResourceStatus
from chatd.live.episodes.waits import HeldUp

# Also the shapes of answers: live and asked for, a message looks the same.
from chatd.live.shapes import ChildrenView as ChildrenView  # noqa: PLC0414 - part of this module's offer
from chatd.live.shapes import FailureView as FailureView  # noqa: PLC0414 - as above
from chatd.live.shapes import MessageView as MessageView  # noqa: PLC0414 - as above
from chatd.live.shapes import Moment
from chatd.live.shapes import QueuedView as QueuedView  # noqa: PLC0414 - as above
from chatd.live.shapes import RetryView as RetryView  # noqa: PLC0414 - as above
from chatd.live.shapes import WaitingFor as WaitingFor  # noqa: PLC0414 - as above
from chatd.workspaces.places import PATH_BYTES_MAX
from chatd.workspaces.protection import Level

# Told, and not checked by the shape: `checks.py` has better words for a message without parts.
SOMETHING = {"minItems": 1}


class _Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Nothing(_Request, frozen=True, kw_only=True):
    """No parameters, or no body."""


# Requests with a key leave out what is not named: so their check sum stays the same when a field is added.
class _InputPart(_Request, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    pass


class TextInput(_InputPart, frozen=True, kw_only=True, tag="text"):
    text: Annotated[str, Meta(description="Not blank.", extra_json_schema={"minLength": 1, "pattern": r"\S"})]


class FileInput(_InputPart, frozen=True, kw_only=True, tag="file"):
    file_id: Name
    media_type: Annotated[
        Name | None, Meta(description="What the file was kept as, or nothing: the server knows it.")
    ] = None
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


class ResponseFormatInput(_Request, frozen=True, kw_only=True, omit_defaults=True):
    """Words, any JSON object, or JSON that fits a schema."""

    type: Literal["text", "json_object", "json_schema"]
    name: Annotated[
        str,
        Meta(pattern="^[a-zA-Z0-9_-]{1,64}$", max_length=64, description="Of the schema, for the model."),
    ] = "reply"
    schema: Annotated[dict[str, Any] | None, Meta(description="Only of `json_schema`.")] = None


class OptionsInput(_Request, frozen=True, kw_only=True, omit_defaults=True):
    """How the model replies. What a model or its provider does not take is left out, and logged."""

    max_output_tokens: Annotated[int, Meta(ge=1, le=OUTPUT_TOKENS_MAX)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    tool_choice: Annotated[
        Name | None,
        Meta(
            description="`auto`, `none`, `required` or the name of a tool. The last two count for the first "
            "step of a turn only: the model could never end it otherwise."
        ),
    ] = None
    response_format: ResponseFormatInput | None = None


class SetsUp(_Request, frozen=True, kw_only=True, omit_defaults=True):
    """What the chat is set up with from this request on. What is not named stays as it is."""

    instructions: Annotated[
        Prompt | UnsetType,
        Meta(
            description="A system prompt for this chat, from this turn on, up to 128 KiB. The model reads it "
            "after the prompts of the server and of the user. An empty one clears it."
        ),
    ] = UNSET
    client_tools: Annotated[
        Annotated[tuple[ClientToolInput, ...], Meta(max_length=CLIENT_TOOLS_MAX)] | UnsetType | None,
        Meta(
            description="The tools that the caller runs, from this turn on. They replace the ones of before. "
            "No tool of the server can have the same name."
        ),
    ] = UNSET

    client_deadline_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=CLIENT_ANSWER_SECONDS_MAX)] | UnsetType | None,
        Meta(
            description="How long the caller may take to run its tools, from the next time on that the agent "
            "asks for them: up to 30 days, 300 seconds by default. null: as long as it likes."
        ),
    ] = UNSET

    options: Annotated[
        OptionsInput | UnsetType, Meta(description="They replace the ones of before; {} clears them.")
    ] = UNSET

    mcp_servers: Annotated[
        ChosenServers | UnsetType | None,
        Meta(
            description="The MCP servers of this chat, by id or slug, from this turn on. Those that "
            "administrators force on are added. null: those that are on by default."
        ),
    ] = UNSET

    mode: Annotated[
        Mode | UnsetType | None,
        Meta(
            description="`plan`: from this turn on the agent looks around, asks and proposes a plan, and "
            "changes nothing else. null ends it."
        ),
    ] = UNSET


class CarriedMessage(_Request, frozen=True, kw_only=True, omit_defaults=True):
    """A message on its way from one chat to another."""

    role: Role
    content: Annotated[Content, Meta(max_length=PARTS_PER_MESSAGE_MAX, extra_json_schema=SOMETHING)]
    for_people_only: bool = False
    model: Name | None = None
    reasoning_effort: Effort | None = None
    key: Annotated[
        Key | None,
        Meta(
            description="Of a user's message alone: your own name for it in its new chat. An export has none."
        ),
    ] = None
    # For people who read the file. An import counts tokens and time anew.
    created_at: Moment | None = None
    usage: dict[str, Any] | None = None
    runtime_ms: int | None = None
    cost_micros: int | None = None


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


class PatchChat(_Request, frozen=True, kw_only=True):
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


class ListChats(_Request, frozen=True, kw_only=True):
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


class ListMessages(_Request, frozen=True, kw_only=True):
    before_id: Annotated[Id | None, Meta(description="Only older ones, newest first.")] = None
    after_id: Annotated[
        Id | None, Meta(description="Only newer ones; oldest first, unless before_id is given too.")
    ] = None
    limit: Limit = 50
    branch: Annotated[Id | None, Meta(description="A branch that an edit has left.")] = None


class SendMessage(SetsUp, frozen=True, kw_only=True, omit_defaults=True):
    content: Annotated[
        tuple[InputPart, ...],
        Meta(
            description="At least one part.",
            max_length=PARTS_PER_MESSAGE_MAX,
            extra_json_schema=SOMETHING,
        ),
    ]
    when: Annotated[
        When,
        Meta(
            description="When a busy agent hears it: after its turn, after its next step, or now, instead of "
            "what it does."
        ),
    ] = When.QUEUE
    model: Annotated[Name | None, Meta(description="provider/model")] = None
    reasoning_effort: Effort | None = None
    key: Key | None = None


class EditMessage(_Request, frozen=True, kw_only=True):
    """What is not named stays as the message had it."""

    content: Annotated[
        tuple[InputPart, ...],
        Meta(
            description="At least one part.",
            max_length=PARTS_PER_MESSAGE_MAX,
            extra_json_schema=SOMETHING,
        ),
    ]
    model: Annotated[Name | None, Meta(description="provider/model")] = None
    reasoning_effort: Effort | None = None
    queue: Annotated[
        QueueOnEdit,
        Meta(description="What becomes of messages that wait: they stay queued, or they are dropped."),
    ] = QueueOnEdit.KEEP


class ListPrompts(_Request, frozen=True, kw_only=True):
    limit: Annotated[
        int, Meta(ge=0, le=PROMPTS_MAX, description="How many to return at most; 0 means the default.")
    ] = 500


class ResultInput(_Request, frozen=True, kw_only=True):
    """What a client's tool came back with."""

    tool_call_id: CallName
    message_id: OfMessage = None
    output: Annotated[Any, Meta(description="Any JSON.")]
    is_error: bool = False


class ApprovalInput(_Request, frozen=True, kw_only=True):
    tool_call_id: CallName
    message_id: OfMessage = None
    decision: Decision
    scope: Annotated[
        ApprovalScope,
        Meta(
            description="For which calls it counts: this one, such calls of this chat, or such calls of all "
            "your chats. `waiting_for` lists the scopes of each call, with the rules that they would make."
        ),
    ] = ApprovalScope.ONCE
    reason: Annotated[
        Annotated[str, Meta(max_length=REASON_LENGTH_MAX)] | None, Meta(description="For the model.")
    ] = None


class AnswerInput(_Request, frozen=True, kw_only=True):
    """What a person says to a question."""

    tool_call_id: CallName
    message_id: OfMessage = None
    answer: Annotated[
        Any,
        Meta(
            description="To `questions`: a list of texts, one for each question in their order, each the "
            "label of an option or words of one's own; the text alone where there is one question; null "
            'leaves them unanswered. To a `plan`: {"decision": "accept"}, {"decision": "revise", "feedback": '
            '"…"} or {"decision": "decline"}. Otherwise any JSON.'
        ),
    ]


class SubmitActions(SetsUp, frozen=True, kw_only=True):
    """Any subset of what the chat waits for."""

    results: Annotated[tuple[ResultInput, ...], Meta(max_length=ACTIONS_MAX)] = ()
    approvals: Annotated[tuple[ApprovalInput, ...], Meta(max_length=ACTIONS_MAX)] = ()
    answers: Annotated[tuple[AnswerInput, ...], Meta(max_length=ACTIONS_MAX)] = ()


class InterruptTurn(_Request, frozen=True, kw_only=True):
    message_id: Annotated[
        Id | None,
        Meta(description="Stop only the turn of this message; if a newer one runs: 409 `newer_turn`."),
    ] = None
    cascade: Annotated[
        bool, Meta(description="Stop the chats that work for this one as well. false: they go on.")
    ] = True


class ExportChat(_Request, frozen=True, kw_only=True):
    format: Annotated[
        Literal["json", "markdown"], Meta(description="`json` can be imported; `markdown` is for people.")
    ] = "json"


class CarriedChat(_Request, frozen=True, kw_only=True):
    """A chat as a file: what an export writes, and what an import reads."""

    format: Literal["chatd-chat"]
    version: Annotated[Literal[1], Meta(description="Of the format.")]
    title: Title
    messages: Annotated[tuple[CarriedMessage, ...], Meta(min_length=1, max_length=CARRIED_MESSAGES_MAX)]
    labels: Labels = {}
    client_tools: Annotated[tuple[ClientToolInput, ...], Meta(max_length=CLIENT_TOOLS_MAX)] = ()
    instructions: Prompt | UnsetType = UNSET
    client_deadline_seconds: Annotated[int, Meta(ge=1, le=CLIENT_ANSWER_SECONDS_MAX)] | UnsetType | None = (
        UNSET
    )
    options: OptionsInput | UnsetType = UNSET
    created_at: Moment | None = None
    updated_at: Moment | None = None
    # As in ChatView, for people who read the file. A chat that an import makes gets its own.
    last_turn_summary: Annotated[str, Meta(max_length=TURN_LABEL_LENGTH_MAX)] | UnsetType = UNSET
    summary: Annotated[str, Meta(max_length=SUMMARY_LENGTH_MAX)] | UnsetType = UNSET
    # As in ChatView, for people who read the file. The calls were not made for the chat that an import makes.
    usage_total: dict[str, Any] | None = None
    cost_micros_total: int | None = None
    unpriced_calls: int | None = None


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


class ChildList(Struct, frozen=True, kw_only=True):
    """The chats that work for one, the one that was changed last first. `waiting_for` has no previews."""

    chats: tuple[ChatView, ...]


class ResourceView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file of the workspace that agents are told of, or why they are not."""

    kind: ResourceKind
    source: Annotated[str, Meta(description="Its path, from the root of the workspace.")]
    size_bytes: int
    status: Annotated[ResourceStatus, Meta(description="Only what is `ok` reaches a model.")]
    error: Annotated[str | None, Meta(description="Why it is not `ok`.")] = None
    skill_name: str | None = None
    skill_description: str | None = None


class ContextView(Struct, frozen=True, kw_only=True):
    """What the agent of a chat is told of its workspace, as it was when it was pinned."""

    workspace: Annotated[str | None, Meta(description="null: nothing is pinned.")]
    pinned_at: Moment | None
    dirty_since: Annotated[
        Moment | None, Meta(description="Since when the workspace is known to tell something else.")
    ]
    truncated: Annotated[bool, Meta(description="There are more than 500 files.")]
    resources: tuple[ResourceView, ...]


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


class MessagePage(Struct, frozen=True, kw_only=True):
    messages: tuple[MessageView, ...]
    has_more: bool
    # Only on the first page: what waits belongs to no place in the history.
    queued_messages: tuple[QueuedView, ...] | UnsetType = UNSET


class Sent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Either the message, because the agent reads it now, or the place in the queue where it waits."""

    queued: bool
    message: MessageView | None = None
    queued_message: QueuedView | None = None


class Edited(Struct, frozen=True, kw_only=True):
    message: MessageView
    deleted_message_ids: tuple[int, ...]
    dropped_queued_ids: Annotated[
        tuple[int, ...], Meta(description="The queued messages that went, if they were to be dropped.")
    ]
    branch: int


class BranchView(Struct, frozen=True, kw_only=True):
    id: int
    active: bool
    # The first branch has neither.
    parent_id: int | None
    fork_id: Annotated[
        int | None, Meta(description="The first message of its parent that this branch does not share.")
    ]
    created_at: Moment


class BranchList(Struct, frozen=True, kw_only=True):
    branches: tuple[BranchView, ...]


class PromptView(Struct, frozen=True, kw_only=True):
    id: int
    text: str


class PromptList(Struct, frozen=True, kw_only=True):
    prompts: tuple[PromptView, ...]


class WorkspaceView(Struct, frozen=True, kw_only=True):
    usable: Annotated[bool, Meta(description="Whether your chats can work there now.")]
    root: Annotated[
        str | None, Meta(description="The directory; null when there is none, or none for you.")
    ] = None
    level: Annotated[
        Level,
        Meta(
            description="What keeps commands in their place. `sandbox`: they see a machine that they cannot "
            "change, but for the workspace. `limits`: within limits, they can do whatever the server can. "
            "`none`: without any. `closed`: no command runs."
        ),
    ] = Level.CLOSED
    network: Annotated[bool, Meta(description="Whether commands can reach the network.")] = False
    limits: Annotated[tuple[str, ...], Meta(description="What is limited, in words.")] = ()
    keeps_files: Annotated[
        bool, Meta(description="Whether files are kept before agents change them. It needs git.")
    ] = False
    says: Annotated[str, Meta(description="All of this as a sentence.")] = ""
    why: Annotated[
        str, Meta(description="Why it is not usable, or not more protected, and what to do about it.")
    ] = ""


class Health(Struct, frozen=True, kw_only=True):
    status: Literal["ok", "ready"]


class ErrorDetail(Struct, frozen=True, kw_only=True, omit_defaults=True):
    code: Annotated[str, Meta(description="For programs.")]
    message: Annotated[str, Meta(description="For people.")]
    field: Annotated[str | None, Meta(description="Where in the request the problem is.")] = None
    hint: Annotated[str | None, Meta(description="What to do next.")] = None


class ErrorBody(Struct, frozen=True, kw_only=True):
    error: ErrorDetail
