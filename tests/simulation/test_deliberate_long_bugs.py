"""Bugs in what takes long, put in on purpose, and found in random stories."""

import sys
from collections.abc import MutableMapping, Sequence
from itertools import count
from typing import Any, cast

import pytest
from msgspec.structs import replace

from chatd.agent.compaction import save
from chatd.agent.toolboxes import toolboxes
from chatd.api.chats import permitted
from chatd.domain.approvals import asked_answers
from chatd.domain.approvals.asked_answers import Answered
from chatd.domain.chat import Chat
from chatd.domain.decision import answers
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.family import Commands, SpawnCall, child_id_of
from chatd.domain.ids import ChatId
from chatd.domain.transitions import TRANSITIONS, Command
from chatd.domain.transitions.calls.submit_actions import SubmitActions
from chatd.domain.transitions.chat.name_chat import NameChat, name_chat
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import Refused
from chatd.storage.transactions import families
from chatd.storage.transactions.transact import Done, Store, transact
from chatd.tools.agents.message_agent import Args as MessageArgs
from chatd.tools.agents.spawn_agent import Args as SpawnArgs
from chatd.tools.agents.wait_agent import Args as WaitArgs
from tests.simulation import chaos
from tests.simulation.chaos import Chaos
from tests.simulation.test_deliberate_bugs import SEEDS_MAX, violations_in

# Of the worlds in which there is long work, and things break.
SEEDS = [seed for seed in range(6 * SEEDS_MAX) if Chaos(seed).has_long_work and not Chaos(seed).gentle]


def found() -> str:
    return str(next(violations_in(SEEDS[:SEEDS_MAX]), ""))


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes die more often: these bugs show only if that happens in one moment of a story."""
    monkeypatch.setattr(chaos, "CRASHES", 4.0)


@pytest.mark.timeout(240)
@pytest.mark.usefixtures("often")
def test_an_agent_that_is_started_again_after_a_crash_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = count()

    def another(call: SpawnCall) -> ChatId:
        return child_id_of(replace(call, call_id=f"{call.call_id} {next(tries)}"))

    monkeypatch.setattr(sys.modules[SpawnArgs.__module__], "child_id_of", another)

    told = found()
    # What an agent does is then done twice, too.
    assert "started more than once" in told or "ran more than once" in told


@pytest.mark.timeout(240)
@pytest.mark.usefixtures("often")
def test_a_message_that_an_agent_is_told_again_after_a_crash_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries = count()
    monkeypatch.setattr(sys.modules[MessageArgs.__module__], "_key", lambda _: f"try {next(tries)}")

    told = found()
    assert "was told more than once" in told or "has more than one" in told


@pytest.mark.timeout(240)
def test_a_wait_that_does_not_wait_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[WaitArgs.__module__], "_is_enough", lambda *_: True)

    assert "did not wait" in found()


@pytest.mark.timeout(240)
def test_an_agent_that_is_reported_as_done_while_it_works_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[WaitArgs.__module__], "is_done", lambda _: True)

    assert "is done that is" in found()


@pytest.mark.timeout(240)
def test_a_stop_that_does_not_reach_agents_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(family: Sequence[LockedChat], command: Interrupt) -> Commands:
        return {family[0].chat.id: (command,)}

    monkeypatch.setattr(families, "stopping", alone)

    assert "was stopped with its family" in found()


@pytest.mark.timeout(240)
def test_a_chat_that_acts_while_it_plans_or_explores_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolboxes, "is_available", lambda *_: True)

    assert "may change nothing" in found()


@pytest.mark.timeout(240)
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

    assert "acknowledged" in found()


@pytest.mark.timeout(240)
def test_a_plan_that_is_accepted_and_ends_no_plan_mode_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = asked_answers._plan_answered

    def careless(*given: Any) -> Answered:
        return replace(honest(*given), setup=None)

    monkeypatch.setattr(asked_answers, "_plan_answered", careless)

    assert "was accepted, and it still plans" in found()


@pytest.mark.timeout(240)
def test_advice_that_is_not_counted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "uses_of", lambda *_: 0)

    assert "took more advice" in found()


@pytest.mark.timeout(240)
def test_a_title_of_a_model_that_replaces_that_of_a_person_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(locked: LockedChat, command: NameChat) -> Change:
        chat: Chat = locked.chat
        return name_chat(locked, replace(command, instead_of=chat.title, chosen_by=chat.title_by))

    monkeypatch.setitem(cast("MutableMapping[type[Command], Any]", TRANSITIONS), NameChat, careless)

    assert "a person named" in found()


@pytest.mark.timeout(240)
def test_a_summary_without_the_words_of_the_user_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save, "newest_words", lambda *_: ())

    assert "is without" in found()
