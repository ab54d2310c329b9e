"""Bugs in what becomes of files, put in on purpose, and found in random stories."""

import sys
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from chatd.agent.calls import call_run, run_tools
from chatd.agent.calls.keep_files import keep_files
from chatd.agent.hold.hold import Hold
from chatd.api.chats.workspace import checkpoints
from chatd.domain.call import Call, CallResult, CallState
from chatd.domain.ids import MessageId
from chatd.domain.message import Draft
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.workspaces.workspace import Workspace
from tests.simulation import chaos
from tests.simulation.chaos import Chaos
from tests.simulation.test_deliberate_bugs import SEEDS_MAX, violations_in

SEEDS = [seed for seed in range(6 * SEEDS_MAX) if Chaos(seed).has_workspaces]


def found() -> str:
    return str(next(violations_in(SEEDS[:SEEDS_MAX]), ""))


@pytest.mark.timeout(240)
def test_files_that_are_brought_back_for_another_message_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def further(number: int) -> MessageId:
        return MessageId(number + 2)

    monkeypatch.setattr(checkpoints, "MessageId", further)

    assert "brought back" in found()


@pytest.mark.timeout(240)
def test_files_that_are_not_kept_before_a_change_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def forgetful(hold: Hold, workspace: Workspace | None, calls: Sequence[Call]) -> tuple[Draft, ...]:
        return ()

    monkeypatch.setattr(run_tools, "keep_files", forgetful)

    assert "files are kept before each change" in found()


@pytest.mark.timeout(240)
def test_files_that_are_kept_after_the_first_change_are_found(monkeypatch: pytest.MonkeyPatch) -> None:

    async def late(hold: Hold, workspace: Workspace | None, calls: Sequence[Call]) -> tuple[Draft, ...]:
        """As if the files of a step were kept when it is over."""
        if workspace is not None:
            await keep_files(hold, workspace, list(late_calls.get(hold.chat_id, ())))
        late_calls[hold.chat_id] = list(calls)
        return ()

    late_calls: dict[str, list[Call]] = {}
    monkeypatch.setattr(run_tools, "keep_files", late)

    told = found()
    assert "brought back" in told or "files are kept before each change" in told


@pytest.mark.timeout(240)
def test_a_line_that_is_written_again_after_a_crash_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of the two looks at whether a call may run again."""
    honest = call_run.settled

    def careless(hold: Hold, call: Call) -> CallResult | None:
        return None if call.state is CallState.STARTED else honest(hold, call)

    monkeypatch.setattr(call_run, "settled", careless)
    monkeypatch.setattr(sys.modules[StartCalls.__module__], "Effect", SimpleNamespace(ONCE=None))
    # It shows only if a process dies while the tool runs.
    monkeypatch.setattr(chaos, "CRASHES", 4.0)

    assert "ran more than once" in found()
