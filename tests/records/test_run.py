"""The rules of records: how runs and steps end, and what a list tells of them."""

from itertools import product

import pytest
from msgspec.structs import replace

from chatd.domain.chat import Failure, Lease
from chatd.domain.ids import ChatId, MessageId, Micros, RunnerId, WorkerId
from chatd.domain.message import Usage
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.ownership.release import Release
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.records.run import (
    ATTEMPTS_MAX,
    BUDGET_SECONDS,
    Attempt,
    Operation,
    RecordStatus,
    Run,
    RunKind,
    RunSummary,
    SentRequest,
    Step,
    StepError,
    ended_by,
    merged,
    shown,
    shown_step,
    with_step,
)
from tests.traceability import proves

FAILED = FailTurn(failure=Failure(message="no"))
ERROR = StepError(message="Too much.")
STEP = Step(
    number=1,
    operation=Operation.REPLY,
    status=RecordStatus.IN_PROGRESS,
    model="some/model",
    provider="some",
    history_version=1,
    started_at="then",
)
RUN = Run(
    id="run",
    chat_id=ChatId("chat"),
    runner_id=RunnerId("runner"),
    kind=RunKind.TURN,
    status=RecordStatus.IN_PROGRESS,
    provider="some",
    model="some/model",
    trigger_message_id=MessageId(1),
    tip_message_id=MessageId(1),
    summary=RunSummary(),
    started_at=Micros(1),
    updated_at=Micros(1),
)


def attempt(number: int = 0) -> Attempt:
    request = SentRequest(method="POST", url="https://example.com/v1?x=1")
    return Attempt(started_at="now", duration_ms=number, request=request)


def step(status: RecordStatus, **fields: object) -> Step:
    return replace(STEP, status=status, attempts=(attempt(),), **fields)


@pytest.mark.parametrize(
    ("commands", "status"),
    [
        ([FinishTurn()], RecordStatus.COMPLETED),
        ([RequireAction()], RecordStatus.COMPLETED),
        ([FAILED], RecordStatus.ERROR),
        ([FinishInterruption()], RecordStatus.INTERRUPTED),
        ([Release()], RecordStatus.INTERRUPTED),
        ([BeginAttempt()], None),
        ([], None),
        # An error counts most, then that it was stopped.
        ([FAILED, Release()], RecordStatus.ERROR),
        ([FinishTurn(), Release()], RecordStatus.INTERRUPTED),
    ],
)
def test_a_run_ends_with_its_turn(commands: list[Command], status: RecordStatus | None) -> None:
    assert ended_by(commands) is status


@proves("loop", 51)
def test_a_success_after_a_failure_completes_the_step_and_clears_its_error() -> None:
    failed = step(RecordStatus.ERROR, error=ERROR)
    again = step(RecordStatus.COMPLETED, number=7, started_at="later", response="Hello.")

    assert merged(failed, again) == replace(
        STEP,
        status=RecordStatus.COMPLETED,
        response="Hello.",
        attempts=(attempt(), attempt()),
    )


def test_nothing_that_comes_later_lowers_how_a_step_ended() -> None:
    order = [RecordStatus.COMPLETED, RecordStatus.ERROR, RecordStatus.INTERRUPTED, RecordStatus.IN_PROGRESS]

    for first, second in product(order, order):
        assert merged(step(first), step(second)).status is min(first, second, key=order.index)


def test_the_last_of_several_errors_is_told() -> None:
    first = step(RecordStatus.ERROR, error=ERROR)
    last = step(RecordStatus.ERROR, error=StepError(message="Still too much."))

    assert merged(first, last).error == StepError(message="Still too much.")


def test_a_step_keeps_its_newest_attempts() -> None:
    tried = replace(STEP, attempts=tuple(attempt(number) for number in range(ATTEMPTS_MAX)))

    kept = merged(tried, replace(STEP, attempts=(attempt(99),)))

    assert [each.duration_ms for each in kept.attempts] == [*range(1, ATTEMPTS_MAX), 99]


def test_a_summary_adds_up_what_a_list_tells() -> None:
    used = Usage(input_tokens=10, output_tokens=2, context_limit=1000)
    failed = step(RecordStatus.ERROR, error=ERROR)
    said = step(RecordStatus.COMPLETED, number=2, usage=used)

    summary = RunSummary()
    for each in (failed, said, replace(said, number=3)):
        summary = with_step(summary, each, first_message="Hello?")

    assert summary == RunSummary(
        first_message="Hello?",
        step_count=3,
        has_error=True,
        endpoint="https://example.com/v1",
        usage=Usage(input_tokens=20, output_tokens=4),
    )


def test_an_open_run_that_no_worker_drives_is_shown_as_interrupted_with_its_steps() -> None:
    worker = WorkerId("worker")
    ended = replace(RUN, status=RecordStatus.COMPLETED, finished_at=Micros(2))

    late = BUDGET_SECONDS + 1

    assert shown(RUN, Lease(worker, RUN.runner_id), late) == RUN
    assert shown(RUN, None, late).status is RecordStatus.INTERRUPTED
    assert shown(RUN, Lease(worker, RunnerId("another")), 0.0).status is RecordStatus.INTERRUPTED
    assert shown(ended, None, late) == ended
    assert shown_step(shown(RUN, None, late), STEP).status is RecordStatus.INTERRUPTED
    assert shown_step(RUN, STEP) == STEP


def test_a_run_whose_chat_came_to_rest_just_now_is_still_being_written() -> None:
    assert shown(RUN, None, 0.0) == RUN
    assert shown(RUN, None, BUDGET_SECONDS) == RUN
