"""What is told of an agent that failed."""

from msgspec.structs import replace

from chatd.domain.chat import Failure, Status
from chatd.tools.agents.report import failure_of
from tests.support.model import ModelChat
from tests.traceability import proves

CHILD = replace(ModelChat().chat, status=Status.ERROR)


@proves("subagents", 42)
def test_a_failure_without_a_reason_is_told_in_words() -> None:
    assert failure_of(CHILD) == {"last_error": "The agent failed, and has left no reason."}


def test_a_failure_is_told_with_all_that_is_known() -> None:
    failure = Failure(message="It was away.", kind="overloaded", retryable=True, detail="HTTP 529")

    assert failure_of(replace(CHILD, last_error=failure)) == {
        "last_error": "It was away.",
        "last_error_kind": "overloaded",
        "last_error_retryable": True,
        "last_error_detail": "HTTP 529",
    }
