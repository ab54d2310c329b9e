"""What the server answers, as far as this client knows it. Everything else in an answer is passed over."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of a message. `type` says which of the fields there are."""

    type: str
    text: str = ""
    tool_call_id: str | None = None
    tool_name: str | None = None
    args: Any = None
    result: Any = None
    is_error: bool = False
    provider_executed: bool = False
    # Only while it is being said.
    args_delta: str | None = None
    result_delta: str | None = None
    result_reset: bool = False
    file_id: str | None = None
    media_type: str | None = None
    name: str | None = None
    file_name: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    content: str | None = None
    source_id: str | None = None
    url: str | None = None
    title: str | None = None


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    role: str
    content: tuple[Part, ...]
    created_at: str
    chat_id: str = ""
    created_by: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    usage: dict[str, Any] | None = None
    runtime_ms: int | None = None

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


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    message: str
    kind: str = "generic"
    retryable: bool = False
    detail: str | None = None
    provider: str | None = None
    status_code: int | None = None


class Retry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An automatic retry that is pending."""

    attempt: int
    delay_ms: int = 0
    error: str = ""
    kind: str = "generic"
    retrying_at: str = ""
    provider: str | None = None
    status_code: int | None = None


class Awaited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that somebody must answer: `kind` is `result`, `approval` or `answer`."""

    tool_call_id: str
    tool_name: str
    kind: str
    message_id: int | None = None
    args: Any = None
    deadline: str | None = None


class Chat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`status` is waiting, running, interrupting, requires_action or error."""

    id: str
    title: str
    status: str
    created_at: str = ""
    updated_at: str = ""
    owner_id: str = ""
    archived: bool = False
    labels: dict[str, str] = {}
    pin_order: int = 0
    last_error: Failure | None = None
    retry: Retry | None = None
    queue: tuple[Queued, ...] = ()
    waiting_for: tuple[Awaited, ...] = ()
    last_model: str | None = None
    last_reasoning_effort: str | None = None
    finish_reason: str | None = None
    parent_chat_id: str | None = None
    root_chat_id: str | None = None
    branch: int = 1
    branch_count: int = 1
    snapshot_version: int = 0


class ChatPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    chats: tuple[Chat, ...]
    next: str | None = None


class MessagePage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    messages: tuple[Message, ...]
    has_more: bool = False
    # Only on a first page.
    queued_messages: tuple[Queued, ...] | UnsetType = UNSET


class Sent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Either the message, because the agent hears it now, or the place where it waits."""

    queued: bool
    message: Message | None = None
    queued_message: Queued | None = None


class Edited(Struct, frozen=True, kw_only=True):
    message: Message
    deleted_message_ids: tuple[int, ...] = ()
    branch: int = 1


class Branch(Struct, frozen=True, kw_only=True):
    id: int
    active: bool
    parent_id: int | None = None
    fork_id: int | None = None
    created_at: str = ""


class BranchList(Struct, frozen=True, kw_only=True):
    branches: tuple[Branch, ...]


class Prompt(Struct, frozen=True, kw_only=True):
    id: int
    text: str


class PromptList(Struct, frozen=True, kw_only=True):
    prompts: tuple[Prompt, ...]


class Health(Struct, frozen=True, kw_only=True):
    status: str


class ErrorDetail(Struct, frozen=True, kw_only=True):
    code: str
    message: str
    field: str | None = None
    hint: str | None = None


class ErrorBody(Struct, frozen=True, kw_only=True):
    error: ErrorDetail
