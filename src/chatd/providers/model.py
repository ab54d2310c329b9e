"""The seam to every model: one method."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.branch import FIRST_BRANCH
from chatd.domain.ids import ChatId, FileId, MessageId, Micros, UserId
from chatd.domain.message import Cost, Effort, Message, Role
from chatd.domain.part import Json, Text
from chatd.domain.setup import ResponseFormat
from chatd.providers.events import Finished, StreamEvent
from chatd.providers.transport.tap import Tap


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as a model is told of it."""

    name: str
    description: str
    input_schema: Json


class Named(Struct, frozen=True):
    """This tool and no other."""

    tool: str


# Whether the model may call tools, must, or must not; None leaves it to the provider.
ToolChoice: TypeAlias = Literal["auto", "none", "required"] | Named | None
# It is told in words not to, and is forbidden to where what is cached of its prompt stays good.
UNWANTED: Final = "unwanted"


def question(text: str) -> Message:
    """Something to ask that belongs to no chat."""
    return Message(
        role=Role.USER,
        content=(Text(text=text),),
        id=MessageId(1),
        revision=1,
        branch=FIRST_BRANCH,
        created_at=Micros(0),
        tokens=0,
    )


class Transcript(list[Message]):
    """A history that only ever grows. What a model has written down of it stays with it.

    To change anything but the end, begin a new one.
    """

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        super().__init__(messages)
        # What the request writer keeps for its next request; only the latest is kept.
        self.written: object = None

    def disown(self) -> None:
        """Its provider does not recognise what it wrote itself: from now on that is told as a stranger's.

        What it will say next is its own again.
        """
        self[:] = [replace(message, internal=None) for message in self]
        self.written = None


async def _no_files(wanted: Sequence[FileId]) -> Mapping[FileId, bytes]:  # noqa: ARG001
    return {}


class Request(Struct, frozen=True, kw_only=True):
    """One model call: the history in order, as far as the model may see it, and the tools it may use."""

    messages: Sequence[Message]
    # Said after the history, for this call only.
    then: tuple[Message, ...] = ()
    # Said by the server before everything else.
    system: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice | Literal["unwanted"] = None
    # Whether the model may also use the tools that its provider runs, as far as its options say.
    provider_tools: bool = False
    effort: Effort | None = None
    max_output_tokens: int | None = None
    # What is left of the context for the answer; None: unknown.
    output_room: int | None = None
    # What administrators set for the length of replies counts for replies alone.
    is_reply: bool = True
    # Before what administrators have set for the model.
    temperature: float | None = None
    top_p: float | None = None
    response_format: ResponseFormat | None = None
    # Whether the provider is to keep it, where an administrator wants answers to be kept there.
    is_kept: bool = True
    # The bytes of files that the history refers to, as far as they are still there.
    read_files: Callable[[Sequence[FileId]], Awaitable[Mapping[FileId, bytes]]] = _no_files
    chat_id: ChatId = ChatId("")
    # Which try at this step it is, counting from 1. Only a scripted model wants to know.
    attempt: int = 1
    # The text about the chat that is asked for; empty: none. Only a scripted model wants to know.
    purpose: str = ""
    # The recorder of what goes over the wire; None when the call is not recorded.
    tap: Tap | None = None


class Model(Protocol):
    # As people name it: provider/model.
    name: str
    provider: str
    # The identity of the provider's row: what it wrote goes back to it alone.
    provider_id: str
    # Who runs it, by the names that OpenTelemetry has for providers.
    vendor: str
    # 0: unknown.
    context_limit: int
    # At this share of its context, in percent, a history is summarized; 100: never by itself.
    compression_threshold: int
    # Whether it can write about a chat by itself: a title, a label, a summary.
    writes_texts: bool
    # The media types that it can be shown in the result of a tool.
    sees: frozenset[str]
    # How long to wait for its first word, and between two. A model that watches its own connection, and can
    # tell silence from thinking, says infinity.
    first_seconds: float
    silence_seconds: float

    def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """What the model says, ending with Finished; as many events at once as came at once.

        Raises ProviderError. An async generator: closing it, also in the middle, closes the connection
        behind it.
        """
        ...

    def cost(self, finished: Finished, *, answered_by: str = "") -> Cost | None:
        """What the call has cost; None when it is unknown.

        `answered_by` is the model that answered, as the provider names it: perhaps another than was asked.
        """
        ...


class Models(Protocol):
    async def find(self, name: str | None, owner_id: UserId) -> Model:
        """The model of this name, or the default for None, with the keys that count for this user.

        Raises ProviderError when it cannot be used.
        """
        ...
