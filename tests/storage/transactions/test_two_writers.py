"""Two writers at once, on both databases, against the pure domain.

Hypothesis draws what two people or workers ask at the same moment. Whatever the database makes of
it must be what the domain says for one order or the other: row for row, version for version.
"""

import asyncio
import shutil
from contextlib import AsyncExitStack
from copy import copy
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from chatd.domain.ids import ChatId, FileId
from chatd.domain.transitions import Command
from chatd.errors import Refused
from chatd.hints.hint import ChatChanged, Hint, chat_changed
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Database
from chatd.storage.reads.read import Everything, read_everything
from chatd.storage.tables.files import add_file
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.conftest import empty_postgres, empty_sqlite
from tests.domain.any_command import ANY_COMMAND, FILES, aimed
from tests.support.invariants import assert_coherent
from tests.support.model import ModelChat
from tests.words import OWNER, create

CHAT = ChatId("chat")


class Recorder(MemoryBus):
    """A bus that remembers."""

    def __init__(self) -> None:
        super().__init__()
        self.hints: list[Hint] = []

    def publish(self, hint: Hint) -> None:
        self.hints.append(hint)


class TwoWriters(RuleBasedStateMachine):
    """Subclassed per database; `place` says where it is."""

    place: Path | str

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.recorder = Recorder()
        self.model = ModelChat(create(), files=FILES)
        self.runner.run(self._start())

    async def _start(self) -> None:
        clock = MovedClock()
        if isinstance(self.place, Path):
            folder = Path(mkdtemp(prefix="chatd-writers-"))
            self.stack.callback(shutil.rmtree, folder)
            opened = empty_sqlite(self.place, folder / "chatd.db", clock)
        else:
            opened = empty_postgres(self.place, clock)
        self.db: Database = await self.stack.enter_async_context(opened)
        self.store = Store(self.db, self.recorder)
        for name in FILES:
            await add_file(
                self.db, file_id=FileId(name), owner_id=OWNER, name=name, media_type="text/plain", data=b""
            )
        await create_chat(self.store, create())
        self.recorder.hints.clear()

    def teardown(self) -> None:
        self.runner.run(self.stack.aclose())
        self.runner.close()

    @rule(first=ANY_COMMAND, second=ANY_COMMAND)
    def two_things_happen_at_once(self, first: Command, second: Command) -> None:
        first, second = aimed(first, self.model.locked), aimed(second, self.model.locked)
        accepted = self.runner.run(self._both(first, second))
        stored = self.stored()
        for order, answers in (((first, second), accepted), ((second, first), accepted[::-1])):
            model, agreed = _in_turn(self.model, order)
            if _same(model, stored) and agreed == answers:
                self.model = model
                break
        else:
            raise AssertionError(f"{first} beside {second} gave what neither order gives")
        self._check_hints(sum(accepted))

    @rule(command=ANY_COMMAND)
    def one_thing_happens(self, command: Command) -> None:
        command = aimed(command, self.model.locked)
        before = self.stored()
        (accepted,) = self.runner.run(self._both(command))
        if not accepted:
            assert self.stored() == before, "a rejected command changed something"
        self.model, agreed = _in_turn(self.model, (command,))
        assert agreed == [accepted], f"the domain and the database disagree about {command}"
        self._check_hints(int(accepted))

    @invariant()
    def the_database_has_what_the_domain_says(self) -> None:
        assert _same(self.model, self.stored())

    @invariant()
    def every_promise_holds(self) -> None:
        stored = self.stored()
        assert_coherent(
            chat=stored.chat,
            messages=stored.messages,
            queue=stored.queue,
            calls=stored.calls,
            links=[FileId(file) for file in stored.files],
            branches=stored.branches,
            charges=stored.charges,
        )

    def stored(self) -> Everything:
        found = self.runner.run(read_everything(self.db, CHAT))
        assert found is not None
        return found

    async def _both(self, *commands: Command) -> list[bool]:
        outcomes = await asyncio.gather(
            *(transact(self.store, CHAT, command) for command in commands), return_exceptions=True
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, Refused):
                raise outcome
        return [not isinstance(outcome, Refused) for outcome in outcomes]

    def _check_hints(self, accepted: int) -> None:
        """One for each accepted transaction, and the newest tells what is stored."""
        changes = [hint for hint in self.recorder.hints if isinstance(hint, ChatChanged)]
        self.recorder.hints.clear()
        assert len(changes) == accepted
        if changes:
            newest = max(changes, key=lambda hint: hint.snapshot)
            assert newest == chat_changed(self.stored().chat)


def _in_turn(model: ModelChat, commands: tuple[Command, ...]) -> tuple[ModelChat, list[bool]]:
    """What the domain makes of these, one after the other."""
    trial = copy(model)
    accepted = []
    for command in commands:
        try:
            trial.tell(command)
        except Refused:
            accepted.append(False)
        else:
            accepted.append(True)
    return trial, accepted


def _same(model: ModelChat, stored: Everything) -> bool:
    return (
        model.chat == stored.chat
        and [message for _, message in sorted(model.messages.items())] == list(stored.messages)
        and list(model.locked.queue) == list(stored.queue)
        and sorted(model.calls.values(), key=lambda c: (c.message_id, c.ordinal)) == list(stored.calls)
        and list(model.branches.values()) == list(stored.branches)
        and model.links == set(stored.files)
    )


def test_whatever_two_writers_do_the_database_agrees_with_the_domain(place: Path | str) -> None:
    machine = type("TwoWritersHere", (TwoWriters,), {"place": place})

    run_state_machine_as_test(machine, settings=settings(max_examples=80, stateful_step_count=25))


pytestmark = pytest.mark.timeout(300)
