"""Whatever people and workers ask, in whatever order, a chat stays coherent."""

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace

from chatd.domain import machine
from chatd.domain.call import CallState
from chatd.domain.decision.apply import Outcome
from chatd.domain.message import Queued, text
from chatd.domain.part import Text, ToolResult
from chatd.domain.transitions import Command
from chatd.domain.transitions.chat.archive import Unarchive
from chatd.domain.transitions.messages.delete_queued import DeleteQueued
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.promote_queued import PromoteQueued
from chatd.domain.transitions.messages.reorder_queue import ReorderQueue
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.errors import Refused
from tests.domain.any_command import ANY_COMMAND, FILES, aimed
from tests.support.invariants import assert_coherent
from tests.support.model import ModelChat


class AnyChat(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.model = ModelChat(files=FILES)
        self.sent: list[str] = []
        self.taken_back: set[str] = set()
        self.overtook: set[str] = set()
        self.known_queue: tuple[Queued, ...] = ()

    @rule(command=ANY_COMMAND)
    def something_happens(self, command: Command) -> None:
        command = aimed(command, self.model.locked)
        if isinstance(command, SendMessage):
            # Each message says something of its own, so that its fate can be followed.
            words = Text(text=f"message {len(self.sent) + 1}")
            files = command.message.content[1:]
            command = replace(command, message=replace(command.message, content=(words, *files)))
        self.ask(command)

    def ask(self, command: Command) -> None:
        before = self.model.locked
        stored = dict(self.model.messages), dict(self.model.calls), self.model.links
        allowed = machine.landings(type(command), before.chat.situation)
        try:
            (outcome,) = self.model.tell(command)
        except Refused:
            assert self.model.locked == before, "a rejected command changed something"
            assert stored == (self.model.messages, self.model.calls, self.model.links)
            return
        assert self.model.chat.situation in allowed
        self.check_versions(before.chat.versions.snapshot, outcome)
        self.check_archived(before.chat.archived, command)
        self.follow(command, outcome)

    def check_versions(self, snapshot: int, outcome: Outcome) -> None:
        versions = outcome.after.chat.versions
        assert versions.snapshot == snapshot + 1
        for message in outcome.appended:
            assert message.revision == versions.history == versions.snapshot
            assert versions.attempt == 0
            assert outcome.after.chat.retry_state is None

    def check_archived(self, archived: bool, command: Command) -> None:  # noqa: FBT001 - a fact
        if archived:
            assert type(command) in machine.ANYWHERE | {Unarchive}

    def follow(self, command: Command, outcome: Outcome) -> None:
        match command:
            case SendMessage(message=message, when=when):
                self.sent.append(text(message))
                if when is When.STEER:
                    self.overtook.add(text(message))
            case DeleteQueued() | EditMessage():
                gone = set(outcome.dequeued)
                self.taken_back |= {text(row) for row in self.known_queue if row.id in gone}
            case PromoteQueued(queued_id=queued_id):
                self.overtook |= {text(row) for row in self.known_queue if row.id == queued_id}
            case ReorderQueue() if outcome.moved:
                self.overtook |= {text(row) for row in self.known_queue}
            case _:
                pass
        self.known_queue = outcome.after.queue

    @invariant()
    def every_promise_holds(self) -> None:
        model = self.model
        assert model.chat.situation in machine.LEGAL
        assert_coherent(
            chat=model.chat,
            messages=[message for _, message in sorted(model.messages.items())],
            queue=model.locked.queue,
            calls=sorted(model.calls.values(), key=lambda call: (call.message_id, call.ordinal)),
            links=tuple(model.links),
            branches=tuple(model.branches.values()),
            charges=model.charges,
        )

    @invariant()
    def no_charge_is_recorded_twice(self) -> None:
        keys = [(charge.history, charge.attempt) for charge in self.model.charges]
        assert len(keys) == len(set(keys))

    @invariant()
    def no_message_is_lost_or_doubled(self) -> None:
        found = [text(message) for message in self.model.messages.values()]
        found += [text(row) for row in self.model.locked.queue]
        for words in self.sent:
            assert found.count(words) == (words not in self.taken_back), words

    @invariant()
    def no_message_overtakes_another_unless_a_user_asked(self) -> None:
        found = [text(message) for _, message in sorted(self.model.messages.items())]
        found += [text(row) for row in self.model.locked.queue]
        order = [words for words in found if words in self.sent and words not in self.overtook]
        assert order == [words for words in self.sent if words in order]

    @invariant()
    def a_result_that_was_produced_is_never_thrown_away(self) -> None:
        results = {
            (part.tool_call_id, str(part.result))
            for message in self.model.messages.values()
            for part in message.content
            if isinstance(part, ToolResult)
        }
        for call in self.model.calls.values():
            if call.state is CallState.ANSWERED and call.finished_at is not None and call.result is not None:
                assert (call.id, str(call.result.result)) in results


TestAnyChat = AnyChat.TestCase
TestAnyChat.settings = settings(max_examples=400, stateful_step_count=50)
