"""Messages: something said, whole and saved; and messages that still wait in the queue."""

from enum import StrEnum

from msgspec import Struct

from chatd.domain.ids import BranchId, MessageId, Micros, QueuedId, UserId
from chatd.domain.part import Content, Json, Text
from chatd.domain.setup import SetupChange
from chatd.domain.turn_end import TurnEnd


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Visibility(StrEnum):
    """Who sees a message: the people watching, the model, or both."""

    USER = "user"
    MODEL = "model"
    BOTH = "both"


class Effort(StrEnum):
    """How hard a model should think; weakest first."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the model call behind a message used. Zero means not reported."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    reasoning_tokens: int = 0
    cache_creation_tokens: int = 0
    # Of these, how many stay for an hour: they cost more.
    cache_creation_1h_tokens: int = 0
    cache_read_tokens: int = 0
    # How often the provider searched the web by itself.
    web_searches: int = 0
    # How full the context is after the reply, where that is not simply what was counted: a provider that
    # searches by itself has its model read the same prompt several times.
    context_tokens: int = 0
    context_limit: int = 0
    # What we had estimated for the same prompt. What the provider counted corrects the next estimates.
    context_estimate: int = 0

    @property
    def all_tokens(self) -> int:
        """What went in and what came out, read from a cache or not. Some providers report only a total."""
        prompt = self.input_tokens + self.cache_read_tokens + self.cache_creation_tokens
        return max(prompt + self.output_tokens, self.total_tokens)

    @property
    def prompt_tokens(self) -> int:
        """How full the context was. Some providers report only a total."""
        if self.context_tokens:
            return max(0, self.context_tokens - self.output_tokens)
        return self.input_tokens + self.cache_read_tokens + self.cache_creation_tokens or self.total_tokens


class Cost(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model call has cost. A call without a known price has no cost, which is not a cost of zero."""

    # Millionths of the currency.
    micros: int
    # Where the prices are from: the administrator, the provider's own bill, or the price book.
    source: str
    # What was charged for each kind of token, and at which price.
    basis: Json = None


class Draft(Struct, frozen=True, kw_only=True):
    """A message that is not numbered yet: what a command asks to add."""

    role: Role
    content: Content
    visibility: Visibility = Visibility.BOTH
    # Part of a compaction: the summary, and the call and result that show it to people.
    compressed: bool = False
    model: str | None = None
    effort: Effort | None = None
    created_by: UserId | None = None
    # The sender's own name for it: a request with the same one is not performed again.
    key: str | None = None
    usage: Usage | None = None
    runtime_ms: int | None = None
    # How long the model took to begin.
    first_ms: int | None = None
    cost: Cost | None = None
    # The provider stopped half-way and wants to be asked to go on.
    paused: bool = False
    # The model had more to say than it may say at once.
    cut_off: bool = False
    # A tool that succeeded and ends the turn; how often this message used the advisor.
    ends_turn: bool = False
    advisor_uses: int = 0
    # What only the model's provider may see. Never sent to a client, never read for one.
    internal: Json = None


class Message(Draft, frozen=True, kw_only=True):
    """A message in a history."""

    id: MessageId
    revision: int
    branch: BranchId
    created_at: Micros
    tokens: int
    deleted: bool = False
    # How the turn ended whose last message this is.
    turn_end: TurnEnd | None = None
    # The episode in which the agent said it: the version of the history that it saw, and the attempt on it.
    # None for what no agent said.
    history_version: int | None = None
    generation_attempt: int | None = None


class Queued(Struct, frozen=True, kw_only=True):
    """A user's message that waits its turn. The head of the queue has the lowest (position, id)."""

    id: QueuedId
    content: Content
    created_by: UserId
    created_at: Micros
    position: int
    # Wants in between two steps of the running turn, instead of after it.
    steered: bool = False
    model: str | None = None
    effort: Effort | None = None
    # As in `Draft`. It stays with the message, whose number changes when it enters the history.
    key: str | None = None
    # What the chat is set up with from this message on.
    setup: SetupChange | None = None

    def as_draft(self) -> Draft:
        return Draft(
            role=Role.USER,
            content=self.content,
            created_by=self.created_by,
            model=self.model,
            effort=self.effort,
            key=self.key,
        )


def is_notice(role: Role, visibility: Visibility) -> bool:
    """Whether it is of the system, for people only: it stands beside the conversation, and no turn has it."""
    return role is Role.SYSTEM and visibility is Visibility.USER


def text(message: Draft | Queued) -> str:
    """The words of a message, without its other parts."""
    return "".join(part.text for part in message.content if isinstance(part, Text))
