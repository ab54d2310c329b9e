"""A tool: its name, what it tells the model, its arguments, its effect, and what it does."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Generic

from msgspec import Struct

from chatd.domain.approvals.asked import Asked, ProposedPlan
from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.ids import CallId, ChatId, FileId, MessageId
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.tools.arguments import Args, Arguments
from chatd.tools.calls.truncate import BYTES_UNKNOWN
from chatd.workspaces.files import Files
from chatd.workspaces.workspace import Workspace


class ToolError(Exception):
    """The tool could not do it. The model reads the message and may try otherwise."""


class Media(Struct, frozen=True, kw_only=True):
    """What a tool returns instead of text when it found a picture or the like."""

    data: bytes
    media_type: str
    text: str = ""
    # What people are told that it is called, where it has a name.
    name: str = ""


class Attachment(Struct, frozen=True, kw_only=True):
    """A file that a tool hands to the chat. The tool makes the id, so that its result can name the file."""

    id: FileId
    name: str
    media_type: str
    data: bytes


class Result(Struct, frozen=True, kw_only=True):
    """What a tool returns when people are to get files with its result. The model reads only the value."""

    value: Json
    attachments: tuple[Attachment, ...] = ()


class Question(Struct, frozen=True, kw_only=True):
    """What a tool asks of a model: a task of its own, without the history of the chat."""

    text: str
    system: tuple[str, ...] = ()
    # As people name it: provider/model. None is the model of the chat.
    model: str | None = None
    max_output_tokens: int | None = None


class Consultation(Struct, frozen=True, kw_only=True):
    """A question to a model that is handed what was said in the chat, as far as there is room for it."""

    question: str
    # As in `Question`. None thinks as hard as that model usually does.
    model: str | None = None
    effort: Effort | None = None
    max_output_tokens: int


class Advice(Struct, frozen=True, kw_only=True):
    text: str
    # As people name it: provider/model.
    model: str


NO_WORKSPACE = "This chat has no workspace, and this tool needs one. Tell the user."


async def no_model(question: Question) -> str:  # noqa: ARG001
    raise ToolError("No model can be asked here.")


async def no_advisor(asked: Consultation) -> Advice:  # noqa: ARG001
    raise ToolError("There is no advisor here.")


async def nothing_forbidden(_: Touches) -> frozenset[str]:
    return frozenset()


def opened_unnoted(path: str, real: str) -> None:
    """For settings in which it does not matter."""


class Setting(Struct, frozen=True, kw_only=True):
    """Where a call happens: in which chat, as which call, and how it shows what it does meanwhile.

    `show` takes text as it appears, for viewers. It is no part of the result.
    `async with setting.resting():` is for waits that may last, for a child chat or a person: the slot of the
    chat is free for others meanwhile, and neither the watchdog nor the tool's own time limit counts the time.
    `ask_model` calls a model and gives its answer. The call is charged to the chat and recorded as one of its
    own. It raises ToolError when the model does not answer.
    `consult` does the same with a model that is handed what was said in the chat; its answer is shown to
    viewers as it comes, and failures that pass are tried again. `advisor_uses` is how often that has brought
    advice in this turn.
    `workspace` is where the chat's files and processes are. Tools that need it ask `place()`.
    `sees` has the media types that the chat's model can be shown in a result.
    `forbidden` is for a tool that finds out while it runs that it would touch other paths than `touches` has
    told, such as the target of a link: of these, it gives those that the rules do not let this call touch.
    `opened` is told which file a path has led to, so that no other part of the server looks for it again.
    """

    chat_id: ChatId
    call_id: CallId
    # The reply that has the call: with it, the id names one call of the chat for good.
    message_id: MessageId = MessageId(0)
    show: Callable[[str], None]
    resting: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    ask_model: Callable[[Question], Awaitable[str]] = no_model
    consult: Callable[[Consultation], Awaitable[Advice]] = no_advisor
    advisor_uses: int = 0
    # How long a result may be, as JSON.
    result_bytes_max: int = BYTES_UNKNOWN
    workspace: Workspace | None = None
    why_no_workspace: str = NO_WORKSPACE
    sees: frozenset[str] = frozenset()
    forbidden: Callable[[Touches], Awaitable[frozenset[str]]] = nothing_forbidden
    opened: Callable[[str, str], None] = opened_unnoted
    # Commands are not to change the workspace. A sandbox sees to it, where there is one.
    read_only: bool = False

    def place(self) -> Workspace:
        """The workspace. Raises ToolError with why there is none."""
        if self.workspace is None:
            raise ToolError(self.why_no_workspace)
        return self.workspace


async def _no_files() -> Files | None:
    return None


async def _no_plan() -> ProposedPlan | None:
    return None


class Asking(Struct, frozen=True, kw_only=True):
    """What a tool that asks a person may look at before it does."""

    chat_id: ChatId
    # Of its workspace; None: it has none, or it cannot be used now.
    files: Callable[[], Awaitable[Files | None]] = _no_files
    # The newest that was proposed in this chat.
    last_plan: Callable[[], Awaitable[ProposedPlan | None]] = _no_plan


def touches_nothing(_: object) -> Touches:
    """For tools that act only within the chat."""
    return Touches()


async def not_asked(_: object, __: Setting) -> Json:
    """What a tool that only asks a person comes back with if it was not asked, for a reason of the past."""
    raise ToolError("The user could not be asked. Call it again, alone.")


class Tool(Struct, Generic[Args], frozen=True, kw_only=True):
    name: str
    description: str
    arguments: Arguments[Args]
    effect: Effect
    # What it returns is JSON, text, a Media or a Result.
    run: Callable[[Args, Setting], Awaitable[Json]]
    # What a call would run, read and write. Rules for approvals go by it; None: it cannot be told, and a
    # person is asked. It must not wait, and must not look at files: `run` confines what it touches.
    touches: Callable[[Args], Touches] | None = None
    # What a call would change in the workspace, such as a diff, for the person who is asked. A call that
    # would fail is described as well: it never raises for what is wrong with a file.
    preview: Callable[[Args, Workspace], Awaitable[str]] | None = None
    # For a tool that only asks a person: what. The call waits for their answer, which is its result, and
    # `run` is never called for it. Raises ToolError when there is something wrong with what is to be asked.
    ask: Callable[[Args, Asking], Awaitable[Asked]] | None = None
    # The MCP server that it is of, as people know it. None: it is one of ours.
    server_id: str | None = None
    # Must be the only call of its step.
    exclusive: bool = False
    # Models are told of it. One that is not can be called all the same: it is another name of a tool.
    offered: bool = True
    # A success ends the turn.
    ends_turn: bool = False
    # Runs after all others have settled, in call order.
    serial: bool = False
    seconds_max: float = 600.0
    # How many calls of it this process runs at once, of all chats together; None: as many as there are.
    at_once: int | None = None


AnyTool = Tool[Any]
