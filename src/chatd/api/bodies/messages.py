"""Shapes of messages, branches and earlier prompts."""

from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.api.bodies.fields import PROMPTS_MAX, Id, Key, Limit, Name
from chatd.api.bodies.inputs import InputPart, SetsUp
from chatd.api.bodies.shared import SOMETHING, RequestBody
from chatd.domain.limits import PARTS_PER_MESSAGE_MAX, QUEUE_MESSAGES_MAX
from chatd.domain.message import Effort, Role
from chatd.domain.part import Content
from chatd.domain.transitions.messages.edit_message import QueueOnEdit
from chatd.domain.transitions.messages.send_message import When
from chatd.live.shapes import MessageView, Moment, Participant, QueuedView

InputContent: TypeAlias = Annotated[
    tuple[InputPart, ...],
    Meta(description="At least one part.", max_length=PARTS_PER_MESSAGE_MAX, extra_json_schema=SOMETHING),
]


class CarriedMessage(RequestBody, frozen=True, kw_only=True, omit_defaults=True):
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


class ListMessages(RequestBody, frozen=True, kw_only=True):
    before_id: Annotated[Id | None, Meta(description="Only older ones, newest first.")] = None
    after_id: Annotated[
        Id | None, Meta(description="Only newer ones; oldest first, unless before_id is given too.")
    ] = None
    limit: Limit = 50
    branch: Annotated[Id | None, Meta(description="A branch that an edit has left.")] = None


class SendMessage(SetsUp, frozen=True, kw_only=True, omit_defaults=True):
    content: InputContent
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


class EditMessage(RequestBody, frozen=True, kw_only=True):
    """What is not named stays as the message had it."""

    content: InputContent
    model: Annotated[Name | None, Meta(description="provider/model")] = None
    reasoning_effort: Effort | None = None
    queue: Annotated[
        QueueOnEdit,
        Meta(description="What becomes of messages that wait: they stay queued, or they are dropped."),
    ] = QueueOnEdit.KEEP


class ReorderQueue(RequestBody, frozen=True, kw_only=True):
    queued_ids: Annotated[
        tuple[Id, ...],
        Meta(
            max_length=QUEUE_MESSAGES_MAX,
            description="The messages that wait, in the order they are to have. One that has left the queue "
            "meanwhile is passed over; those that are not named follow as they were.",
        ),
    ]


class ListPrompts(RequestBody, frozen=True, kw_only=True):
    limit: Annotated[
        int, Meta(ge=0, le=PROMPTS_MAX, description="How many to return at most; 0 means the default.")
    ] = 500


class MessagePage(Struct, frozen=True, kw_only=True):
    messages: tuple[MessageView, ...]
    has_more: bool
    participants: Annotated[
        tuple[Participant, ...] | UnsetType,
        Meta(description="Who has written these messages. Not there: nobody but the owner of the chat."),
    ] = UNSET
    # Only on the first page: what waits belongs to no place in the history.
    queued_messages: tuple[QueuedView, ...] | UnsetType = UNSET
    queue_length: Annotated[
        int | UnsetType, Meta(description="How many wait, for who may not speak and is told no more of them.")
    ] = UNSET


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
