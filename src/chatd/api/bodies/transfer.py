"""Shapes of export and import."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from chatd.api.bodies.fields import (
    CARRIED_FILES_MAX,
    CARRIED_MESSAGES_MAX,
    CLIENT_TOOLS_MAX,
    FILE_NAME_LENGTH_MAX,
    ID_MAX,
    NAME_LENGTH_MAX,
    CallName,
    Labels,
    Name,
    Prompt,
    Title,
)
from chatd.api.bodies.inputs import ClientToolInput, OptionsInput
from chatd.api.bodies.messages import CarriedMessage
from chatd.api.bodies.shared import RequestBody
from chatd.domain.approvals.asked_answers import PlanDecision
from chatd.domain.limits import CHILDREN_MAX, CLIENT_ANSWER_SECONDS_MAX
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.texts import SUMMARY_LENGTH_MAX, TURN_LABEL_LENGTH_MAX
from chatd.domain.setup import Mode
from chatd.domain.workspace.plan_file import PLAN_BYTES_MAX
from chatd.live.shapes import Moment
from chatd.storage.reads.plans import PLANS_MAX
from chatd.tools.asking.propose_plan import DIFF_CHARACTERS_MAX


class ExportChat(RequestBody, frozen=True, kw_only=True):
    format: Annotated[
        Literal["json", "markdown"], Meta(description="`json` can be imported; `markdown` is for people.")
    ] = "json"


class CarriedPlan(RequestBody, frozen=True, kw_only=True, omit_defaults=True):
    """A plan that was proposed in a chat, with a call of its messages."""

    tool_call_id: CallName
    version: Annotated[int, Meta(ge=1, le=ID_MAX)]
    text: Annotated[str, Meta(max_length=PLAN_BYTES_MAX)]
    diff: Annotated[str, Meta(max_length=DIFF_CHARACTERS_MAX)] = ""
    decision: PlanDecision | None = None


class CarriedFile(RequestBody, frozen=True, kw_only=True):
    """A file that messages refer to by this id. An import keeps it under another."""

    id: Name
    name: Annotated[str, Meta(min_length=1, max_length=FILE_NAME_LENGTH_MAX)]
    media_type: Annotated[str, Meta(max_length=NAME_LENGTH_MAX)]
    data: Annotated[bytes, Meta(min_length=1, description="In base64.")]


class CarriedChild(RequestBody, frozen=True, kw_only=True, omit_defaults=True):
    """A chat that worked for the one in the file."""

    title: Title
    messages: Annotated[tuple[CarriedMessage, ...], Meta(min_length=1, max_length=CARRIED_MESSAGES_MAX)]
    agent_type: AgentType | None = None
    instructions: Prompt | UnsetType = UNSET
    mode: Mode | UnsetType = UNSET
    created_at: Moment | None = None


class CarriedChat(RequestBody, frozen=True, kw_only=True):
    """A chat as a file: what an export writes, and what an import reads."""

    format: Literal["chatd-chat"]
    version: Annotated[
        Literal[1, 2, 3],
        Meta(
            description="Of the format. The first one had no `mode`, `delegation`, `plans` and `children`, "
            "the second one no `files`."
        ),
    ]
    title: Title
    messages: Annotated[tuple[CarriedMessage, ...], Meta(min_length=1, max_length=CARRIED_MESSAGES_MAX)]
    labels: Labels = field(default_factory=dict)
    client_tools: Annotated[tuple[ClientToolInput, ...], Meta(max_length=CLIENT_TOOLS_MAX)] = ()
    instructions: Prompt | UnsetType = UNSET
    client_deadline_seconds: Annotated[int, Meta(ge=1, le=CLIENT_ANSWER_SECONDS_MAX)] | UnsetType | None = (
        UNSET
    )
    options: OptionsInput | UnsetType = UNSET
    mode: Mode | UnsetType = UNSET
    delegation: bool | UnsetType = UNSET
    plans: Annotated[
        tuple[CarriedPlan, ...], Meta(max_length=PLANS_MAX, description="The newest first.")
    ] = ()
    children: Annotated[
        tuple[CarriedChild, ...],
        Meta(max_length=CHILDREN_MAX, description="They are made anew as well, and work for the new chat."),
    ] = ()
    files: Annotated[
        tuple[CarriedFile, ...],
        Meta(
            max_length=CARRIED_FILES_MAX,
            description="Those of all messages, as far as they fit into what can be imported; the newest "
            "first.",
        ),
    ] = ()
    created_at: Moment | None = None
    updated_at: Moment | None = None
    # As in ChatView, for people who read the file. A chat that an import makes gets its own.
    last_turn_summary: Annotated[str, Meta(max_length=TURN_LABEL_LENGTH_MAX)] | UnsetType = UNSET
    summary: Annotated[str, Meta(max_length=SUMMARY_LENGTH_MAX)] | UnsetType = UNSET
    # As in ChatView, for people who read the file. The calls were not made for the chat that an import makes.
    usage_total: dict[str, Any] | None = None
    cost_micros_total: int | None = None
    unpriced_calls: int | None = None
