"""A process dies at every await of a story with agents, advice, a question, a plan and a title."""

import sys
from collections.abc import Iterator, MutableMapping
from itertools import count
from typing import Any, cast

import pytest
from msgspec.structs import replace

from chatd.api.chats import permitted
from chatd.domain.decision import answers
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.family import SpawnCall, child_id_of
from chatd.domain.ids import ChatId
from chatd.domain.transitions import TRANSITIONS, Command
from chatd.domain.transitions.calls.submit_actions import SubmitActions
from chatd.domain.transitions.chat.name_chat import NameChat, name_chat
from chatd.errors import Refused
from chatd.storage.transactions.transact import Done, Store, transact
from chatd.tools.agents.spawn_agent import Args as SpawnArgs
from tests.simulation.chaos import Violation
from tests.simulation.checks.long_work import check_long_work
from tests.simulation.long_work import LongWorld
from tests.simulation.one_crash import moments_of, play_moment

# Each moment is tried; they are divided among so many tests.
BATCHES = 4
MOMENTS_MAX = 600


def play(at: int) -> int:
    """How many moments there were, of which a process died at one."""

    async def story() -> int:
        world = LongWorld(at)
        check_long_work(await world.run_alone(world.tell), world.person)
        return moments_of(world.chaos)

    return play_moment(story, at)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_long_work_survives_a_crash_at_every_await(batch: int) -> None:
    moments = play(0)
    assert 100 < moments < MOMENTS_MAX
    for at in range(1 + batch, moments + 1, BATCHES):
        play(at)


def violations(every: int = 1) -> Iterator[str]:
    """Of a server with a bug in it, at one moment after the other."""
    for at in range(0, MOMENTS_MAX, every):
        try:
            if at > play(at):
                return
        except Violation as found:
            yield str(found)


def test_an_answer_that_comes_too_late_and_is_acknowledged_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    last: list[Done] = []

    async def agreeing(store: Store, chat_id: ChatId, *commands: Command, **more: Any) -> Done:
        answers = isinstance(commands[0], SubmitActions)
        try:
            done = await transact(store, chat_id, *commands, **more)
        except Refused:
            if not answers or not last:
                raise
            return last[-1]
        if answers:
            last.append(done)
        return done

    monkeypatch.setattr(permitted, "transact", agreeing)

    assert "was answered 2 times" in next(violations(), "")


def test_an_agent_that_is_started_again_after_a_crash_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = count()

    def another(call: SpawnCall) -> ChatId:
        return child_id_of(replace(call, call_id=f"{call.call_id} {next(tries)}"))

    monkeypatch.setattr(sys.modules[SpawnArgs.__module__], "child_id_of", another)

    assert "two agents were asked for" in next(violations(every=4), "")


def test_advice_that_is_not_counted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "uses_of", lambda *_: 0)

    assert "advice is counted wrong" in next(violations(), "")


def test_a_title_of_a_model_that_replaces_that_of_a_person_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(locked: LockedChat, command: NameChat) -> Change:
        chat = locked.chat
        return name_chat(locked, replace(command, instead_of=chat.title, chosen_by=chat.title_by))

    monkeypatch.setitem(cast("MutableMapping[type[Command], Any]", TRANSITIONS), NameChat, careless)

    assert "a person's title was overwritten" in next(violations(), "")
