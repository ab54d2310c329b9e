"""What every agent of a process works with."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from msgspec import Struct, field

from chatd.agent.calls.places import CallPlaces
from chatd.agent.hold.unsaved import Unsaved
from chatd.agent.prompts.system_prompt import INSTRUCTIONS, SystemPrompt
from chatd.approvals.judge import Rules
from chatd.domain.chat import Chat
from chatd.domain.family import FamilyLimits
from chatd.domain.ids import UserId
from chatd.domain.message import Message
from chatd.domain.setup import Setup
from chatd.kit.clock import Clock, rfc3339
from chatd.live.episodes.board import Board
from chatd.providers.model import Model, Models
from chatd.records.recorder import Recorder
from chatd.storage.transactions.transact import Store
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable


async def threshold_of_model(model: Model, owner_id: UserId) -> int:  # noqa: ARG001
    """For users who cannot set one of their own."""
    return model.compression_threshold


def write_nothing(chat: Chat, said: Sequence[Message] | None) -> None:
    """For agents about whose chats nothing is written."""


async def no_workspace(chat: Chat, setup: Setup) -> Workspace:  # noqa: ARG001
    raise WorkspaceUnusable("There are no workspaces here.")


class Summarizers(Protocol):
    """Which model writes the summaries of long conversations, instead of the chat's own model."""

    async def summarizer_limit(self) -> int:
        """Its context limit, in tokens. Asked at every step. 0: there is no such model, or it is unknown."""
        ...

    async def summarizer(self, owner_id: UserId) -> Model | None:
        """Asked when there is something to summarize. None: there is none, or not for this user."""
        ...


class NoSummarizer:
    """Each model does it itself."""

    async def summarizer_limit(self) -> int:
        return 0

    async def summarizer(self, owner_id: UserId) -> Model | None:  # noqa: ARG002
        return None


class ContextLimits(Protocol):
    """Remembers what prompts have told of how much models take. `Model.context_limit` has the result."""

    async def note_refused(self, model: Model, owner_id: UserId, *, stated: int, guessed: int) -> None:
        """A prompt was too long. The limit that the provider told, in tokens, or 0; and what we guess."""
        ...

    async def raise_guess(self, model: Model, owner_id: UserId, tokens: int) -> None:
        """By what was accepted, the model takes so many tokens, which is more than we thought."""
        ...


class NoContextLimits:
    """For models whose limits are not kept."""

    async def note_refused(self, model: Model, owner_id: UserId, *, stated: int, guessed: int) -> None:
        pass

    async def raise_guess(self, model: Model, owner_id: UserId, tokens: int) -> None:
        pass


class Asking(Protocol):
    """What a model call needs of a slot: it is lent to others until the provider answers."""

    async def ask(self, provider: str) -> None:
        """Returns when the provider may be asked, without the slot."""
        ...

    def answered(self) -> None:
        """The provider has begun to answer, or never will. More than once is once."""
        ...


class Slot(Asking, Protocol):
    """The right to work. It is lent to others while a provider has not begun to answer, or tools rest."""

    async def place_to_ask(self, provider: str) -> Callable[[], None]:
        """A place among the calls of this provider, beside the slot. Calling the result gives it back."""
        ...

    def rest(self) -> None:
        """Lend the slot, from now until it is resumed."""
        ...

    async def resume(self) -> None:
        """Wait in line for the slot."""
        ...

    def resume_at_once(self) -> None:
        """Have the slot again, be one free or not. More than once is once."""
        ...

    def leave(self) -> None:
        """Give it back for good. More than once is once."""
        ...


class Slots(Protocol):
    """How many chats may work at once. Whoever takes a slot leaves it."""

    def take_at_once(self, user: UserId) -> Slot | None:
        """None: the user has to wait for one."""
        ...

    async def take(self, user: UserId) -> Slot:
        """Wait for a slot."""
        ...


class AgentServices(Struct, frozen=True, kw_only=True):
    """The same for every chat of a process."""

    store: Store
    board: Board
    models: Models
    # The tools of this chat, as this model may use them. Made once a turn, or when the chat's setup changes.
    toolbox_of: Callable[[Chat, Model, Setup], Awaitable[Toolbox]]
    clock: Clock
    # From 0 to 1, for whatever should not happen to everyone at once.
    chance: Callable[[], float]
    # Held while a model speaks or tools run, and not while a chat waits.
    slots: Slots
    # What a chat and those that work for it may be and cost together.
    family_limits: FamilyLimits = FamilyLimits()
    # What this model is told first in this chat: the texts of its system prompt. As the toolbox, once a turn.
    prompts: Callable[[Chat, Model, Setup], Awaitable[tuple[str, ...]]] = SystemPrompt((INSTRUCTIONS,)).texts
    # Where the tools of a chat with a workspace act. Raises WorkspaceUnusable when it may not use it now.
    workspace_of: Callable[[Chat, Setup], Awaitable[Workspace]] = no_workspace
    # The deployment's rules for approvals, and whether people are asked at all.
    rules: Rules = Rules()
    summarizers: Summarizers = NoSummarizer()
    # At which share of the model's context, in percent, a history of this user is summarized; 100: never.
    compaction_threshold: Callable[[Model, UserId], Awaitable[int]] = threshold_of_model
    context_limits: ContextLimits = NoContextLimits()
    # Is told of a chat whose turn has ended, or waits for a person, by a commit of this process; and of what
    # was said in it, where that is at hand.
    turn_over: Callable[[Chat, Sequence[Message] | None], None] = write_nothing
    # What waits for a database that is away, of all chats together.
    unsaved: Unsaved = field(default_factory=Unsaved)
    # How many calls of tools run at once, of all chats together.
    call_places: CallPlaces = field(default_factory=CallPlaces)
    # What users may have of files in all, in bytes; 0: any number. Counts for what tools attach and show.
    file_bytes_max: int = 0
    # Keeps debug records of model calls; None: nothing is recorded.
    recorder: Recorder | None = None

    def now(self) -> str:
        return rfc3339(self.clock.now_micros())
