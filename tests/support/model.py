"""A chat in memory: the pure domain with plain dictionaries instead of a database.

It serves the tests of the domain, and it is what the real databases are compared with.
"""

from collections.abc import Sequence
from copy import copy

from msgspec.structs import replace

from chatd.domain import machine
from chatd.domain.branch import Branch
from chatd.domain.call import Call, is_open
from chatd.domain.chat import Chat
from chatd.domain.decision import fence as fences
from chatd.domain.decision.apply import Outcome
from chatd.domain.decision.fence import Fence
from chatd.domain.decision.locked import Files, LockedChat, MessageHead, Past
from chatd.domain.ids import BranchId, CallId, FileId, MessageId, Micros
from chatd.domain.message import Draft, Message
from chatd.domain.transitions import Command
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.usage.charge import Charge
from tests.clock import START_MICROS
from tests.words import create, words_of


class ModelChat:
    """One chat. `tell` is what `transact` is on a database."""

    def __init__(
        self, command: CreateChat | None = None, *, files: Sequence[str] = (), now: int = START_MICROS
    ) -> None:
        self.known_files = {FileId(file): 0 for file in files}
        self.links: frozenset[FileId] = frozenset()
        self.messages: dict[MessageId, Message] = {}
        self.calls: dict[tuple[MessageId, str], Call] = {}
        self.branches: dict[BranchId, Branch] = {}
        self.charges: tuple[Charge, ...] = ()
        first = machine.create(command or create(), Micros(now), Files(self.known_files))
        self.locked = first.after
        self._record(first)

    def tell(self, *commands: Command, fence: Fence | None = None) -> list[Outcome]:
        """All or none: a refusal leaves everything as it was."""
        trial = copy(self)
        trial.messages, trial.calls = dict(self.messages), dict(self.calls)
        trial.branches = dict(self.branches)
        if fence is not None:
            fences.check(fence, trial.locked)
        trial.locked = machine.begin(trial.locked)
        outcomes = [trial._tell(command) for command in commands]
        self.__dict__.update(trial.__dict__)
        return outcomes

    @property
    def chat(self) -> Chat:
        return self.locked.chat

    @property
    def history(self) -> list[Message]:
        return [message for _, message in sorted(self.messages.items()) if not message.deleted]

    @property
    def transcript(self) -> list[str]:
        return [words_of(message) for message in self.history]

    @property
    def queue(self) -> list[str]:
        return [words_of(row.as_draft()).removeprefix("user: ") for row in self.locked.queue]

    def branch_history(self, branch: BranchId) -> list[Message]:
        """By the definition: own messages, and the parent's before the fork."""
        own = [message for message in self.messages.values() if message.branch == branch]
        if (row := self.branches.get(branch)) is not None:
            own += [m for m in self.branch_history(row.parent_id) if m.id < row.fork_id]
        return sorted(own, key=lambda message: message.id)

    def _tell(self, command: Command) -> Outcome:
        outcome = machine.decide(self._informed(command), command)
        self.locked = outcome.after
        self._record(outcome)
        return outcome

    def _informed(self, command: Command) -> LockedChat:
        past = Past()
        if isinstance(command, EditMessage | SwitchBranch):
            past = Past(active=_heads(self.history))
        if isinstance(command, SwitchBranch):
            target = self.branch_history(command.branch)
            ids = {message.id for message in target}
            calls = [
                call for _, call in sorted(self.calls.items()) if call.message_id in ids and is_open(call)
            ]
            past = replace(past, target=_heads(target), target_calls=tuple(calls))
        return replace(
            self.locked,
            past=past,
            files=Files(self.known_files, self.links, len(self.links)),
            rules=self.locked.rules or (),
            used_before=self._used_before(),
        )

    def _used_before(self) -> frozenset[CallId]:
        """Ids of open calls that calls of earlier messages had, on whatever branch."""
        return frozenset(
            call.id
            for call in self.locked.calls
            if any(key[1] == call.id and key[0] < call.message_id for key in self.calls)
        )

    def _record(self, outcome: Outcome) -> None:
        snapshot = outcome.after.chat.versions.snapshot
        if (mark := outcome.marked) is not None:
            marked = self.messages[mark.message_id]
            self.messages[mark.message_id] = replace(marked, turn_end=mark.turn_end, revision=snapshot)
        if outcome.cut_from is not None:
            for message in self.history:
                if message.id >= outcome.cut_from:
                    self.messages[message.id] = replace(message, deleted=True, revision=snapshot)
        if outcome.entered_branch is not None and outcome.cut_from is not None:
            for message in self.branch_history(outcome.entered_branch):
                if message.id >= outcome.cut_from:
                    self.messages[message.id] = replace(message, deleted=False, revision=snapshot)
        if outcome.new_branch is not None:
            self.branches[outcome.new_branch.id] = outcome.new_branch
        self.messages.update({message.id: message for message in outcome.appended})
        for call in (*outcome.new_calls, *outcome.changed_calls):
            self.calls[call.message_id, call.id] = call
        self.links |= set(outcome.linked)
        self.charges += outcome.charges


def _heads(messages: Sequence[Message]) -> tuple[MessageHead, ...]:
    return tuple(
        MessageHead(**{name: getattr(message, name) for name in MessageHead.__struct_fields__})
        for message in messages
    )


def transcript(messages: Sequence[Draft]) -> list[str]:
    return [words_of(message) for message in messages]
