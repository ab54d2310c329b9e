"""A runner's hold on one chat."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TypeVar

import structlog
from msgspec import Struct

from chatd.agent import metrics
from chatd.agent.calls.rests import Rests
from chatd.agent.context.told_instructions import ToldInstructions
from chatd.agent.hold.memory import Memory
from chatd.agent.hold.owner import OwnerGate
from chatd.agent.hold.progress import Progress
from chatd.agent.hold.unsaved import Tries
from chatd.agent.per_turn import PerTurn
from chatd.agent.services import AgentServices, Asking, Slot
from chatd.agent.toolboxes.tool_specs import ToolSpecs
from chatd.approvals.judge import Judgement, Proposal, Rules
from chatd.domain.call import Call, CallState
from chatd.domain.chat import Chat, Lease
from chatd.domain.decision.fence import HeldBy
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import CallId, ChatId, MessageId
from chatd.domain.message import Cost, Usage
from chatd.domain.setup import NO_SETUP
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.finish_call import ALREADY_FINISHED, FinishCall
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.record_charges import RecordCharges
from chatd.domain.usage.charge import Charge, Fate
from chatd.domain.usage.size import BYTES_PER_TOKEN
from chatd.errors import ChatdError, NotAllowed, Unavailable
from chatd.kit.codec import encode
from chatd.kit.concurrency.tasks import to_the_end
from chatd.providers.model import Model
from chatd.records.recorder import Recording
from chatd.storage.reads.read import read_setup
from chatd.storage.transactions.load import look
from chatd.storage.transactions.transact import Done, Then, transact
from chatd.tools.calls.tool_tasks import RunTool, in_place
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.workspace import Workspace

log = structlog.get_logger()

T = TypeVar("T")


class LastJudged(Struct, frozen=True):
    """What the rules have said of a call, when they were asked last."""

    rules: Rules
    proposal: Proposal
    judgement: Judgement


class Hold:
    """One runner's hold on one chat: the newest state it knows, and the only way it writes."""

    def __init__(
        self,
        services: AgentServices,
        lease: Lease,
        locked: LockedChat,
        memory: Memory | None = None,
        run_tool: RunTool = in_place,
    ) -> None:
        self.services = services
        self.lease = lease
        self.locked = locked
        self.memory = memory if memory is not None else Memory()
        # In a task of its own, whose parent outlives us.
        self.run_tool = run_tool
        self.progress = Progress()
        self.recording = Recording(services.recorder, locked.chat.id, lease)
        self._owner_gate = OwnerGate(services.store.db, services.clock, locked)
        self._slot: Slot | None = None
        self._works = False
        # What the chat is set up with, at the version of it that was read.
        self.setup = NO_SETUP
        self._setup_version = 0
        # For approvals, as they were when they were last read.
        self.known_rules: Rules | None = None
        self.last_judged: LastJudged | None = None
        self._toolboxes = PerTurn(self._make_toolbox)
        self.tool_specs = ToolSpecs()
        self._prompts = PerTurn(self._make_prompts)
        self._fixed_tokens = PerTurn(self._measure_fixed)
        # For which turn, and which setup, the workspace was looked at.
        self._looked_for: object = None
        self.told_instructions = ToldInstructions()
        # An attempt that was counted together with something else, and that has not been made yet.
        self._begun: tuple[int, int] | None = None
        # Whether the files of the workspace are kept before a call that changes something; unknown at first.
        self.keeps_files = True
        # Calls whose tools we have run, or run now.
        self._begun_calls: set[tuple[MessageId, CallId]] = set()
        # The model that was found last; a name without a model is counted as unknown.
        self.counted_as = metrics.NO_MODEL
        # Set when the process is about to end: finish the step, begin no other.
        self.leaving = False
        self._leaving_since: float | None = None
        # Commits that are under way.
        self._commits = 0
        self._committed = asyncio.Event()
        # Writes that the database did not take yet, and that are tried again.
        self._waiting_writes = 0
        # Calls that were paid for and did not become a message; part of the next commit.
        self._charges: tuple[Charge, ...] = ()
        # The attempt of the newest of them, and its number.
        self._charged = ((0, 0), 0)
        # The last commit failed, after a try that may have taken place.
        self._perhaps_saved = False

    @property
    def chat(self) -> Chat:
        return self.locked.chat

    @property
    def slot(self) -> Slot:
        assert self._slot is not None, "a slot is held while models are asked and tools run"
        return self._slot

    @property
    def chat_id(self) -> ChatId:
        return self.locked.chat.id

    async def prepare(self) -> None:
        """Before each step: read what the chat is set up with, if a message has changed it."""
        version = self.chat.versions.setup
        if version == self._setup_version:
            return
        known = self.locked.setup
        self.setup = known if known is not None else await read_setup(self.services.store.db, self.chat_id)
        self._setup_version = version

    def is_first_look(self) -> bool:
        """Whether this is asked for the first time in this turn, and with this setup."""
        looked_for = (self.chat.projection.turn_start, self.chat.versions.setup)
        is_first, self._looked_for = looked_for != self._looked_for, looked_for
        return is_first

    async def toolbox(self, model: Model) -> Toolbox:
        """The tools of this chat, as this model may use them."""
        return await self._toolboxes.of(self.chat, model)

    async def workspace(self) -> Workspace | None:
        """Where the tools of this chat act; None: it has no workspace. Raises WorkspaceUnusable."""
        if self.setup.workspace is None:
            return None
        return await self.services.workspace_of(self.chat, self.setup)

    async def prompts(self, model: Model) -> tuple[str, ...]:
        """What this model is told in this chat before everything else."""
        return await self._prompts.of(self.chat, model)

    async def fixed_tokens(self, model: Model) -> int:
        """What every prompt of this chat begins with, by our estimate: what the model is told, its tools."""
        return await self._fixed_tokens.of(self.chat, model)

    async def _measure_fixed(self, _: Chat, model: Model) -> int:
        toolbox, words = await self.toolbox(model), await self.prompts(model)
        return (toolbox.specs_bytes() + len(encode(words))) // BYTES_PER_TOKEN

    async def _make_prompts(self, chat: Chat, model: Model) -> tuple[str, ...]:
        return await self.services.prompts(chat, model, self.setup)

    async def _make_toolbox(self, chat: Chat, model: Model) -> Toolbox:
        return await self.services.toolbox_of(chat, model, self.setup)

    async def look(self) -> LockedChat | None:
        """The chat as it is now; None when it is gone."""
        return await look(self.services.store.db, self.chat_id)

    def learn(self, locked: LockedChat) -> None:
        """The chat as another read or commit has seen it. An older state than ours is ignored."""
        if locked.chat.versions.snapshot > self.chat.versions.snapshot:
            self.locked = locked

    async def commit(self, *commands: Command, attempt: int | None = None, then: Then | None = None) -> Done:
        """Write under the fence of what we know: the lease, the status, the history, perhaps the attempt.

        `then` says what follows, and becomes part of the same transaction.
        Raises Stale when any of these has moved. A database that fails is asked again with the same
        commands, so that a reply is not paid for twice.
        """
        fence = HeldBy(
            lease=self.lease,
            status=self.chat.status,
            history=self.chat.versions.history,
            attempt=attempt,
        )
        charges = self._charges
        noted = (RecordCharges(charges=charges),) if charges else ()
        self._perhaps_saved = False
        writing = self._persist((*noted, *commands), fence, then)
        # When the process is about to end, also beyond its grace: what was paid for is a moment away from
        # being saved, and would be paid for again by the next one.
        done = await (to_the_end(writing) if self.leaving else writing)
        self._charges = self._charges[len(charges) :]
        await self.recording.follow(done.commands, done.appended)
        return done

    def charge(
        self, fate: Fate, model: Model, operation: str, usage: Usage | None = None, cost: Cost | None = None
    ) -> None:
        """Note a call that was paid for and did not become a message."""
        if fate is Fate.DISCARDED and self._perhaps_saved:
            return  # It most likely is a message, which says itself what it took.
        versions = self.chat.versions
        attempt = (versions.history, versions.attempt)
        # Numbers only go up, also over commits in the middle of the attempt.
        number = self._charged[1] + 1 if self._charged[0] == attempt else 0
        self._charged = (attempt, number)
        charge = Charge(
            history=versions.history,
            attempt=versions.attempt,
            number=number,
            model=model.name,
            operation=operation,
            fate=fate,
            usage=usage,
            cost=cost,
        )
        self._charges = (*self._charges, charge)

    async def check_owner(self) -> None:
        """Before each call of a model or a tool. Raises ProviderError when the owner was shut out."""
        await self._owner_gate.check(self.chat.owner_id)

    async def pause(self, seconds: float) -> None:
        """Let time pass on purpose."""
        with self.progress.pause():
            await self.services.clock.sleep(seconds)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Wait for a slot, and hold it for the block.

        The history is read, or what is new of it, when there is a slot: chats that wait hold little memory.
        """
        self._slot = await self._take_slot()
        metrics.count_working()
        self._works = True
        try:
            await self.memory.refresh(self.services.store.db, self.chat_id, up_to=self.chat.versions.history)
            yield
        finally:
            self.leave_slot()

    async def _take_slot(self) -> Slot:
        user = self.chat.owner_id
        if (slot := self.services.slots.take_at_once(user)) is not None:
            return slot
        with self.progress.pause(), self.services.board.waits.noting(self.chat_id, "slot"):
            return await self.services.slots.take(user)

    @asynccontextmanager
    async def asking(self, model: Model, slot: Asking | None = None) -> AsyncIterator[Callable[[], None]]:
        """Ask a provider. It is waited for without a slot, until the block calls what it is given."""
        slot = slot or self.slot
        with self.services.board.waits.noting(self.chat_id, "provider", model.provider) as wait:

            def answered() -> None:
                wait.over()
                slot.answered()

            try:
                with self.progress.pause():
                    await slot.ask(model.provider_id)
                await self.check_owner()
                yield answered
            finally:
                answered()

    def rests(self) -> Rests:
        """For the calls of one batch, of which some may rest without a slot."""
        noting = partial(self.services.board.waits.noting, self.chat_id, "slot")
        return Rests(self.slot, self.progress, noting)

    def leave_slot(self) -> None:
        """Give the slot to another chat, although the work in it may not have ended."""
        if self._works:
            self._works = False
            self.slot.leave()
            metrics.count_waiting()

    def note_begun(self, done: Done) -> None:
        """Remember an attempt that this transaction has counted."""
        versions = done.chat.versions
        counted = any(outcome.began_attempt for outcome in done.outcomes)
        self._begun = (versions.history, versions.attempt) if counted else None

    def take_begun(self) -> bool:
        """Whether the attempt on the history as it is now has been counted already. True only once."""
        versions = self.chat.versions
        begun, self._begun = self._begun, None
        return begun == (versions.history, versions.attempt)

    def begin_call(self, call: Call) -> None:
        """From now on the tool may have had its effect."""
        if all(of_message != call.message_id for of_message, _ in self._begun_calls):
            # Those of the reply before are answered.
            self._begun_calls.clear()
        self._begun_calls.add((call.message_id, call.id))

    def has_begun(self, call: Call) -> bool:
        """Whether the tool may have had its effect: under a runner before us, or under ourselves.

        A start is noted first, and only the runner that has noted it knows whether it came to it.
        """
        if call.state is not CallState.STARTED:
            return False
        return call.runner_id != self.lease.runner_id or (call.message_id, call.id) in self._begun_calls

    @property
    def unbegun(self) -> tuple[CallId, ...]:
        """Calls that the ledger has as started, and that we have not begun."""
        calls = self.locked.calls
        return tuple(
            call.id for call in calls if call.state is CallState.STARTED and not self.has_begun(call)
        )

    def leave(self) -> None:
        """The process is about to end."""
        self.leaving = True
        self._leaving_since = asyncio.get_running_loop().time()

    @property
    def holds_unsaved(self) -> bool:
        """Whether something waits here because the database does not take it."""
        return self._waiting_writes > 0

    async def keep(self, command: FinishCall) -> None:
        """Write what must not get lost, also when the user interrupts meanwhile: a tool's result."""
        fence = HeldBy(lease=self.lease, history=self.chat.versions.history)
        try:
            await to_the_end(self._persist((command,), fence))
        except NotAllowed as refusal:
            # A commit whose answer was lost, and that was tried again.
            if refusal.code != ALREADY_FINISHED:
                raise
            if (seen := await self.look()) is not None:
                self.learn(seen)

    async def _persist(self, commands: tuple[Command, ...], fence: HeldBy, then: Then | None = None) -> Done:
        with self._committing():
            done = await self.save(
                lambda: transact(
                    self.services.store, self.chat_id, *commands, fence=fence, known=self.locked, then=then
                ),
                size=lambda: len(encode(commands)),
            )
            self.learn(done.locked)
        self._owner_gate.see(done.locked)
        self.progress.committed()
        metrics.count_endings(self.counted_as, done.commands)
        self.memory.follow(done.outcomes, since=fence.history)
        if any(isinstance(each, FinishTurn | RequireAction) for each in done.commands):
            self.services.turn_over(done.chat, self.memory.prompt_at(done.chat.versions.history))
        if any(outcome.began_attempt for outcome in done.outcomes):
            self.note_begun(done)
        return done

    @contextmanager
    def _committing(self) -> Iterator[None]:
        self._commits += 1
        self._committed.clear()
        try:
            yield
        finally:
            self._commits -= 1
            if not self._commits:
                self._committed.set()

    @property
    def commits(self) -> bool:
        """Whether a commit of ours is under way: it may be in the database before we know of it."""
        return self._commits > 0

    async def until_committed(self) -> None:
        await self._committed.wait()

    async def save(self, write: Callable[[], Awaitable[T]], *, size: Callable[[], int]) -> T:
        """Write what was paid for. A database that fails is asked again, as `unsaved.py` says.

        The write may have taken place although it failed: doing it again must do no harm.
        """
        try:
            return await write()
        except (ChatdError, AssertionError):
            raise
        except Exception as error:
            if not self.services.unsaved.has_room(bytes_held := size()):
                log.exception("commit.given_up", chat_id=self.chat_id, bytes=bytes_held)
                raise
            failed = error
        with self.services.unsaved.room(bytes_held), self._waiting():
            return await self._save_later(write, failed)

    async def _save_later(self, write: Callable[[], Awaitable[T]], failed: Exception) -> T:
        tries = Tries()
        while (pause := tries.pause_after(failed, self._leaving_since)) is not None:
            if tries.is_first or not isinstance(failed, Unavailable):
                log.warning("commit.failed", chat_id=self.chat_id, exc_info=failed)
            await self.services.clock.sleep(pause)
            try:
                result = await write()
            except (ChatdError, AssertionError):
                self._perhaps_saved = await self._has_history_moved()
                raise
            except Exception as error:  # noqa: BLE001 - the tries say whether there is another one
                failed = error
            else:
                log.info("commit.late", chat_id=self.chat_id, seconds=round(tries.seconds))
                return result
        log.error("commit.given_up", chat_id=self.chat_id, seconds=round(tries.seconds), exc_info=failed)
        raise failed

    async def _has_history_moved(self) -> bool:
        """While it has not, nothing of ours was saved. If it has, most likely by our own commit."""
        try:
            seen = await self.look()
        except Exception:  # noqa: BLE001 - what is raised next tells more
            return True
        return seen is None or seen.chat.versions.history != self.chat.versions.history

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """A runner that waits for the database is not stuck."""
        self._waiting_writes += 1
        try:
            with self.progress.pause():
                yield
        finally:
            self._waiting_writes -= 1
