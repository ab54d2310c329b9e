"""Asking for a shorter history, and committing the summary."""

from collections.abc import Callable

import pytest

from chatd.domain.chat import Status
from chatd.domain.ids import MessageId
from chatd.domain.transitions import Command
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.ownership.release import Release
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.errors import NotAllowed
from tests.domain.chats import archived, asking, idle, interrupting, running
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import failure, lease, retry, said, says, send, step, summary


def requested() -> ModelChat:
    chat = idle()
    chat.tell(RequestCompaction())
    return chat


@proves("state-machine", 49)
@pytest.mark.parametrize("attempts", [0, 24, 25])
def test_a_request_grants_a_fresh_epoch_whatever_was_spent(attempts: int) -> None:
    chat = running()
    chat.tell(step(says("hi")))
    chat.tell(Acquire(lease=lease()))
    for _ in range(attempts):
        chat.tell(BeginAttempt())
    chat.tell(RecordRetry(retry=retry()))
    chat.tell(FinishTurn())
    before = chat.chat.versions

    chat.tell(RequestCompaction())

    after = chat.chat
    assert after.versions.attempt == 0
    assert after.versions.history == after.versions.snapshot > before.history
    assert after.retry_state is None
    assert after.lease is None
    assert after.compaction_requested_at == chat.locked.now


@proves("state-machine", 50)
@pytest.mark.parametrize("command", [Acquire(lease=lease()), Release(), send("later")], ids=str)
def test_a_request_outlives_what_does_not_answer_it(command: Command) -> None:
    chat = requested()
    chat.tell(Acquire(lease=lease()))

    chat.tell(command)

    assert chat.chat.compaction_requested_at is not None


@proves("state-machine", 50)
@pytest.mark.parametrize(
    "command",
    [
        FinishTurn(),
        FailTurn(failure=failure()),
        Interrupt(),
        EditMessage(message_id=MessageId(1), content=said("hey")),
    ],
    ids=lambda command: type(command).__name__,
)
def test_a_request_is_over_when_the_turn_takes_another_way(command: Command) -> None:
    chat = requested()

    chat.tell(command)

    assert chat.chat.compaction_requested_at is None


@proves("state-machine", 50)
def test_a_request_is_over_when_a_message_starts_a_turn() -> None:
    chat = requested()
    chat.tell(FailTurn(failure=failure()))
    chat.tell(send("go on"))

    assert chat.chat.compaction_requested_at is None


@proves("state-machine", 51)
def test_a_step_leaves_the_request_unless_it_answers_it() -> None:
    chat = requested()
    chat.tell(step(says("still talking")))
    before = chat.chat
    assert before.compaction_requested_at is not None

    chat.tell(CommitStep(messages=summary("so far"), consumes_request=True))

    assert (chat.chat.compaction_requested_at, chat.chat.status) == (None, Status.RUNNING)


@proves("state-machine", 52)
@pytest.mark.parametrize("make", [running, interrupting, asking, archived], ids=lambda make: make.__name__)
def test_a_busy_or_archived_chat_cannot_be_compacted(make: Callable[..., ModelChat]) -> None:
    chat = make()
    before = chat.locked

    with pytest.raises(NotAllowed):
        chat.tell(RequestCompaction())

    assert chat.locked == before


def test_a_chat_without_a_reply_has_nothing_to_compact() -> None:
    chat = running()
    chat.tell(FinishTurn())

    with pytest.raises(NotAllowed, match="nothing to compact"):
        chat.tell(RequestCompaction())


def test_a_chat_that_was_just_compacted_has_nothing_to_compact() -> None:
    chat = requested()
    chat.tell(CommitStep(messages=summary("so far"), consumes_request=True))
    chat.tell(FinishTurn())

    with pytest.raises(NotAllowed, match="nothing to compact"):
        chat.tell(RequestCompaction())


def test_the_call_that_shows_a_summary_is_no_open_call() -> None:
    chat = requested()

    chat.tell(CommitStep(messages=summary("so far"), consumes_request=True))

    assert chat.chat.open_calls == 0
    assert chat.calls == {}
    assert chat.chat.projection.boundary == 3
