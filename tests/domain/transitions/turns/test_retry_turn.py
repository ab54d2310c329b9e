import pytest

from chatd.domain.chat import Situation, Status
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.errors import NotAllowed
from tests.domain.chats import calling, failed, idle, running
from tests.words import call, failure, retry


def test_a_failed_turn_goes_on_where_it_was() -> None:
    chat = calling(call("a"))
    chat.tell(FailTurn(failure=failure()))

    chat.tell(RetryTurn())

    assert chat.chat.situation == Situation(Status.RUNNING)
    assert chat.chat.last_error is None
    assert [open_.id for open_ in chat.locked.calls] == ["a"]


def test_a_retry_keeps_the_queue() -> None:
    chat = failed("a")

    chat.tell(RetryTurn())

    assert chat.queue == ["a"]


def test_a_pause_is_cut_short_and_the_attempts_are_counted_anew() -> None:
    chat = running()
    chat.tell(BeginAttempt())
    chat.tell(RecordRetry(retry=retry()))

    chat.tell(RetryTurn())

    versions = chat.chat.versions
    assert chat.chat.retry_state is None
    assert (versions.attempt, versions.history) == (0, versions.snapshot)


def test_an_agent_at_work_has_nothing_to_retry() -> None:
    with pytest.raises(NotAllowed, match="nothing waits to be tried again"):
        running().tell(RetryTurn())


def test_an_idle_chat_has_nothing_to_retry() -> None:
    with pytest.raises(NotAllowed):
        idle().tell(RetryTurn())
