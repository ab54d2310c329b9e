"""A simulation that finds nothing may be blind. These bugs are put in on purpose, and found."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from chatd.agent.approvals import judging
from chatd.agent.calls import run_tools
from chatd.agent.generation import save_interrupted
from chatd.agent.hold import unsaved
from chatd.agent.hold.hold import Hold
from chatd.api.chats.approvals import actions
from chatd.domain.approvals.rule import RuleChange
from chatd.domain.call import Call, Plan, awaits_action
from chatd.domain.decision import apply, fence, versions
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.versions import Touched, Versions
from chatd.domain.ids import CallId, ChatId, FileId, UserId
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls import submit_actions
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.hints.hint import chat_changed
from chatd.live import watch
from chatd.live.episodes.board import Board
from chatd.live.episodes.episode import Said, Spoken
from chatd.live.events import Batch, PreviewReset, ViewerEvent
from chatd.live.viewer import Viewer
from chatd.storage.database import Body, Connection, Database, Pace
from chatd.storage.reads.read import Snapshot
from chatd.storage.tables.rules import StoredRules, read_rules
from chatd.storage.transactions import load, transact, write
from chatd.storage.transactions.recent import Recent
from chatd.storage.transactions.transact import Done, Store
from chatd.tools.toolbox import Toolbox
from chatd.worker import endings, runner
from chatd.worker.endings import OVERTAKEN, End, Ending
from chatd.worker.left_out import LeftOut
from tests.simulation import world as worlds
from tests.simulation.chaos import Chaos, ProcessDatabase, Violation
from tests.simulation.shrink import violations_of
from tests.simulation.test_seeds import play

SEEDS_MAX = 200


def violations(first: int = 0, every: int = 1) -> Iterator[Violation]:
    """Some bugs can show only in some worlds: see `Chaos`."""
    return violations_in(range(first, first + SEEDS_MAX * every, every))


def violations_in(seeds: Iterable[int]) -> Iterator[Violation]:
    for seed in seeds:
        try:
            play(seed)
        except BaseException as error:  # noqa: BLE001 - a broken server may break in any way
            yield from violations_of(error)


@pytest.mark.timeout(240)
def test_a_fence_that_lets_everyone_through_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fence, "check", lambda *_: None)

    assert next(violations(), None) is not None


@pytest.mark.timeout(240)
def test_a_lease_that_is_not_looked_at_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker takes the chat of another one that lives."""
    monkeypatch.setattr(fence, "needs_worker", fence.has_work)

    assert next(violations(), None) is not None


@pytest.mark.timeout(240)
def test_a_version_that_is_not_bumped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = versions.advance

    def forgetful(before: Versions, touched: Touched, *retries: Any) -> Any:
        return honest(before, replace(touched, queue=False), *retries)

    monkeypatch.setattr(versions, "advance", forgetful)

    found = next(violations(), None)

    assert found is not None
    assert "does not converge" in str(found)


@pytest.mark.timeout(240)
def test_a_chat_that_is_taken_for_the_known_one_although_it_changed_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def careless(tx: Connection, known: LockedChat) -> LockedChat | None:
        row = await tx.one("lock_known_chat", known.chat.id)
        return replace(known, now=row[0]) if row is not None else None

    monkeypatch.setattr(load, "_lock_unchanged", careless)

    assert next(violations(), None) is not None


@pytest.mark.timeout(240)
def test_an_approval_that_counts_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(call: Call) -> bool:
        return awaits_action(call) or call.decided_by is not None

    monkeypatch.setattr(submit_actions, "awaits_action", careless)

    found = next(violations(), None)

    assert found is not None
    assert "more than one approval" in str(found) or "was acknowledged" in str(found)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("has_fleet", [False, True])
def test_a_hint_before_its_commit_is_found(monkeypatch: pytest.MonkeyPatch, *, has_fleet: bool) -> None:
    """Sent by the store's own bus, whichever carries hints in these worlds."""
    honest = transact._write

    async def hasty(store: Store, body: Body[Done], pace: Pace) -> Done:
        async def hinting(tx: Connection) -> Done:
            done = await body(tx)
            store.hints.publish(chat_changed(done.chat))
            return done

        return await honest(store, hinting, pace)

    monkeypatch.setattr(transact, "_write", hasty)

    found = next(violations_in(seed for seed in range(SEEDS_MAX) if Chaos(seed).has_fleet is has_fleet), None)

    assert found is not None
    assert "inside a transaction" in str(found)


@pytest.mark.timeout(240)
def test_a_result_that_is_not_journalled_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def forgetful(self: Hold, command: FinishCall) -> None:
        pass

    monkeypatch.setattr(Hold, "keep", forgetful)

    assert next(violations(), None) is not None


@pytest.mark.timeout(240)
def test_a_reply_that_is_not_held_while_the_database_is_away_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unsaved, "UNSAVED_SECONDS_MAX", 10.0)

    found = next(violations(every=6), None)

    assert found is not None
    assert "paid each time" in str(found) or "came back" in str(found)


@pytest.mark.timeout(240)
def test_a_row_that_cannot_be_read_and_ends_the_whole_batch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(self: LeftOut, chat_id: ChatId, error: Exception) -> None:
        raise error

    monkeypatch.setattr(LeftOut, "add", raising)
    # Every turn ends much sooner, and half a day of looking in vain takes a while.
    monkeypatch.setattr(worlds, "REST_SECONDS", 1800)

    found = next(violations(first=1, every=16), None)

    assert found is not None
    assert "a turn does not end" in str(found)


@pytest.mark.timeout(240)
def test_a_refusal_that_counts_as_overtaken_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = endings.ending_of

    def careless(error: Exception) -> Ending:
        ending = honest(error)
        return OVERTAKEN if ending.end is End.REFUSED else ending

    monkeypatch.setattr(runner, "ending_of", careless)

    found = next(violations(), None)

    assert found is not None
    assert "was attempted" in str(found)


@pytest.mark.timeout(240)
def test_a_preview_that_is_not_reset_when_a_new_attempt_speaks_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = Viewer.hear

    def careless(self: Viewer, said: Sequence[Said]) -> Batch:
        batch = honest(self, said)
        return replace(batch, events=tuple(e for e in batch.events if not isinstance(e, PreviewReset)))

    monkeypatch.setattr(Viewer, "hear", careless)

    found = next(violations(), None)

    assert found is not None
    assert "without a reset" in str(found)


@pytest.mark.timeout(240)
def test_a_stop_after_a_crash_that_does_not_read_the_part_log_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def nothing(db: Database, chat_id: ChatId, history: int) -> tuple[int, tuple[Spoken, ...]]:
        return 0, ()

    monkeypatch.setattr(save_interrupted, "said_before", nothing)

    found = next(violations(), None)

    assert found is not None
    assert "lost something of" in str(found)


@pytest.mark.timeout(240)
def test_a_restart_that_hides_what_was_half_said_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(db: Database, board: Board, chat_id: ChatId, history: int) -> None:
        return None

    monkeypatch.setattr(watch, "recall", nothing)

    found = next(violations(), None)

    assert found is not None
    assert "does not show what was said before" in str(found)


@pytest.mark.timeout(240)
def test_a_commit_of_another_process_that_viewers_are_not_told_of_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = Recent.since

    def blind(self: Recent, chat_id: ChatId, known: int, *, newest: int, queue_since: int) -> Snapshot | None:
        """Also when not all commits since `known` were ours."""
        for each in range(known, newest):
            told = honest(self, chat_id, each, newest=newest, queue_since=queue_since)
            if told is not None:
                return told
        return None

    monkeypatch.setattr(Recent, "since", blind)

    found = next(violations(), None)

    assert found is not None
    assert "does not converge" in str(found)


@pytest.mark.timeout(240)
def test_a_message_that_left_the_history_untold_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Viewer.see

    def forgetful(self: Viewer, snapshot: Snapshot) -> list[ViewerEvent]:
        return honest(self, replace(snapshot, tombstones=()))

    monkeypatch.setattr(Viewer, "see", forgetful)

    found = next(violations(), None)

    assert found is not None
    assert "does not converge" in str(found)


@pytest.mark.timeout(240)
def test_a_rule_that_is_skipped_after_a_restart_is_found(monkeypatch: pytest.MonkeyPatch) -> None:

    async def forgetful(db: Database, owner_id: UserId, chat_id: ChatId) -> StoredRules:
        """Only the first process of each place knows the stored rules."""
        assert isinstance(db, ProcessDatabase)
        is_first = db._life.name.endswith(".1")
        return await read_rules(db, owner_id, chat_id) if is_first else StoredRules()

    monkeypatch.setattr(judging, "read_rules", forgetful)

    found = next(violations(), None)

    assert found is not None
    assert "a rule denies" in str(found) or "ran without an approval" in str(found)


@pytest.mark.timeout(240)
def test_a_call_that_is_not_judged_again_before_it_begins_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def trusting(hold: Hold, toolbox: Toolbox, calls: Sequence[Call]) -> tuple[Plan, ...]:
        return ()

    monkeypatch.setattr(run_tools, "judge_again", trusting)

    found = next(violations(), None)

    assert found is not None
    assert "ran without an approval" in str(found)


@pytest.mark.timeout(240)
def test_an_approval_that_counts_for_another_call_of_the_same_id_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def unique(tx: Connection, locked: LockedChat, command: Command) -> frozenset[CallId]:
        """As if no id were ever used again."""
        return frozenset()

    monkeypatch.setattr(load, "_used_before", unique)
    monkeypatch.setattr(actions, "_message", lambda _: None)

    found = next(violations(), None)

    assert found is not None
    assert "ran without an approval" in str(found) or "was acknowledged" in str(found)


@pytest.mark.timeout(240)
def test_an_answer_for_always_whose_rule_gets_lost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def forgetful(tx: Connection, user_id: UserId, changes: Sequence[RuleChange]) -> None:
        pass

    monkeypatch.setattr(write, "change_user_rules", forgetful)

    found = next(violations(), None)

    assert found is not None
    assert "made no rule" in str(found)


@pytest.mark.timeout(240)
def test_a_picture_that_is_not_linked_with_its_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    linked = apply._links

    def careless(*given: Any) -> tuple[tuple[FileId, ...], tuple[FileId, ...]]:
        return linked(*given)[0], ()

    monkeypatch.setattr(apply, "_links", careless)

    found = next(violations(), None)

    assert found is not None
    assert "is not coherent" in str(found)
