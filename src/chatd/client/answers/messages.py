"""Messages and their parts, how turns end, and branches."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from chatd.client.answers.sharing import Participant
from chatd.client.pages import Page, Query


class Decision(Struct, frozen=True, kw_only=True):
    """What a person has said to a call: who it was, and when."""

    allowed: bool
    by: str = ""
    at: str | None = None


class OpenCall(Struct, frozen=True, kw_only=True):
    """A call that has no result in the history yet. `state` is pending, running, finished, denied, or what
    it awaits: awaiting_approval, awaiting_result (of a client), awaiting_answer (of a person).
    """

    tool_call_id: str
    state: str
    decision: Decision | None = None
    started_at: str | None = None


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of a message. `type` says which of the fields there are."""

    type: str
    text: str = ""
    tool_call_id: str | None = None
    tool_name: str | None = None
    args: Any = None
    # Who runs a tool call: `server`, `client` or `provider`.
    kind: str | None = None
    # The MCP server whose tool it is.
    mcp_server_config_id: str | None = None
    result: Any = None
    is_error: bool = False
    provider_executed: bool = False
    # Of a result: when it was known, and how long the call took, if the server ran it.
    created_at: str | None = None
    duration_ms: int | None = None
    # Of a result: what a person has said to the call, if one was asked.
    decision: Decision | None = None
    # Only while it is being said.
    args_delta: str | None = None
    result_delta: str | None = None
    result_reset: bool = False
    # When the call began to run; in the first piece of what it shows.
    started_at: str | None = None
    file_id: str | None = None
    media_type: str | None = None
    size_bytes: int | None = None
    # Of a tool's result: the file with what it has shown.
    media: "Part | None" = None
    name: str | None = None
    file_name: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    content: str | None = None
    source_id: str | None = None
    url: str | None = None
    title: str | None = None


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    message: str
    kind: str = "generic"
    retryable: bool = False
    detail: str | None = None
    provider: str | None = None
    status_code: int | None = None


class TurnEnd(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a turn ended: for a reason, such as `complete` or `interrupted`, or with an error."""

    at: str
    reason: str | None = None
    error: Failure | None = None


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    role: str
    content: tuple[Part, ...]
    created_at: str
    chat_id: str = ""
    created_by: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    # The sender's own name for it.
    key: str | None = None
    usage: dict[str, Any] | None = None
    runtime_ms: int | None = None
    first_ms: int | None = None
    # Millionths of the currency; None where the price is not known.
    cost_micros: int | None = None
    # The model had more to say than it may say at once.
    cut_off: bool = False
    # How the turn ended whose last message this is.
    turn_end: TurnEnd | None = None
    # Of its calls, those that have no result yet. Only in pages of messages.
    open_calls: tuple[OpenCall, ...] = ()
    # The episode in which it was said, as in `PartSpoken`; None for what no agent said.
    history_version: int | None = None
    generation_attempt: int | None = None

    @property
    def text(self) -> str:
        """The words of the message, without its other parts."""
        return "".join(part.text for part in self.content if part.type == "text")


class Queued(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message that waits for the running turn."""

    id: int
    content: tuple[Part, ...]
    created_at: str
    when: str = "queue"
    chat_id: str = ""
    created_by: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    key: str | None = None


class Retry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An automatic retry that is pending."""

    attempt: int
    delay_ms: int = 0
    error: str = ""
    kind: str = "generic"
    retrying_at: str = ""
    provider: str | None = None
    status_code: int | None = None


class MessagePage(Page[Message], frozen=True, kw_only=True, omit_defaults=True):
    messages: tuple[Message, ...]
    has_more: bool = False
    # Who has written these messages; empty: nobody but the owner of the chat.
    participants: tuple[Participant, ...] = ()
    # Only on a first page.
    queued_messages: tuple[Queued, ...] | UnsetType = UNSET

    @property
    def items(self) -> tuple[Message, ...]:
        return self.messages

    def following(self, asked: Query) -> Query | None:
        """Newest first; oldest first when only `after_id` was given."""
        if not self.has_more or not self.messages:
            return None
        forwards = asked.get("after_id") is not None and asked.get("before_id") is None
        return {**asked, ("after_id" if forwards else "before_id"): self.messages[-1].id}


class Sent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Either the message, because the agent reads it now, or the place in the queue where it waits."""

    queued: bool
    message: Message | None = None
    queued_message: Queued | None = None


class Edited(Struct, frozen=True, kw_only=True):
    message: Message
    deleted_message_ids: tuple[int, ...] = ()
    dropped_queued_ids: tuple[int, ...] = ()
    branch: int = 1


class Branch(Struct, frozen=True, kw_only=True):
    id: int
    active: bool
    parent_id: int | None = None
    fork_id: int | None = None
    created_at: str = ""


class BranchList(Struct, frozen=True, kw_only=True):
    branches: tuple[Branch, ...]


class UserPrompt(Struct, frozen=True, kw_only=True):
    id: int
    text: str


class PromptList(Struct, frozen=True, kw_only=True):
    prompts: tuple[UserPrompt, ...]
