"""The last message of a turn tells how the turn ended, for good."""

from chatd.domain.chat import Reason
from chatd.domain.ids import BranchId, CallId, MessageId, QueuedId
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.promote_queued import PromoteQueued
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from tests.domain.chats import asking, calling, failed, idle, interrupting, running
from tests.support.model import ModelChat
from tests.words import call, failure, said, says, send, step, summary


def ends(chat: ModelChat) -> list[str]:
    """Of each message of the history that people see, how its turn ended; a dash for those in the middle."""
    return [
        "-"
        if message.turn_end is None
        else message.turn_end.reason or f"error: {message.turn_end.error.message}"  # type: ignore[union-attr]
        for message in chat.history
        if message.visibility != "model"
    ]


def test_a_turn_that_is_complete_says_so_on_its_last_reply_also_when_the_next_has_begun() -> None:
    chat = idle()
    assert ends(chat) == ["-", "complete"]

    chat.tell(send("more"))
    chat.tell(step(says("sure")))
    chat.tell(FinishTurn(reason=Reason.MAX_TOKENS))

    assert ends(chat) == ["-", "complete", "-", "max_tokens"]


def test_the_end_tells_when_it_was() -> None:
    chat = idle()

    end = chat.history[-1].turn_end

    assert end is not None
    assert end.at == chat.locked.now


def test_a_turn_behind_which_a_message_waits_tells_its_end_too() -> None:
    chat = running("later")
    chat.tell(step(says("hi")))

    chat.tell(FinishTurn())

    assert ends(chat) == ["-", "complete", "-"]


def test_a_turn_that_failed_before_a_word_was_said_tells_it_on_the_message_of_the_user() -> None:
    assert ends(failed()) == ["error: The model is gone."]


def test_a_turn_that_is_tried_again_has_not_ended() -> None:
    chat = failed()

    chat.tell(RetryTurn())
    assert ends(chat) == ["-"]
    chat.tell(FailTurn(failure=failure("Gone for good.")))
    assert ends(chat) == ["error: Gone for good."]
    chat.tell(RetryTurn())
    chat.tell(step(says("here I am")))
    chat.tell(FinishTurn())
    assert ends(chat) == ["-", "complete"]


def test_a_turn_that_failed_stays_so_when_a_message_is_sent_instead_of_a_retry() -> None:
    chat = calling(call("a"))
    chat.tell(FailTurn(failure=failure()))

    chat.tell(send("never mind"))

    # The call was answered afterwards.
    assert ends(chat) == ["-", "error: The model is gone.", "-", "-"]


def test_an_interrupted_turn_tells_it_on_what_was_half_said() -> None:
    chat = interrupting()

    chat.tell(FinishInterruption(partial=(says("once upon"),)))

    assert ends(chat) == ["-", "interrupted"]


def test_an_interrupted_turn_in_which_nothing_was_said_tells_it_on_the_message_of_the_user() -> None:
    chat = interrupting("later")

    chat.tell(FinishInterruption())

    assert ends(chat) == ["interrupted", "-"]


def test_a_turn_that_is_stopped_while_it_waits_tells_it_on_the_answer_to_its_call() -> None:
    stopped, superseded, promoted = asking(), asking(), asking(queued=("later",))

    stopped.tell(Interrupt())
    superseded.tell(send("instead", When.INTERRUPT))
    promoted.tell(PromoteQueued(queued_id=QueuedId(promoted.locked.queue[0].id)))

    assert ends(stopped) == ["-", "-", "interrupted"]
    assert ends(superseded) == ends(promoted) == ["-", "-", "interrupted", "-"]


def test_a_steered_message_and_a_client_that_answers_end_no_turn() -> None:
    chat = asking()
    chat.tell(send("by the way", When.STEER))

    chat.tell(SubmitActions(actions=(Result(call_id=CallId("tab"), output="done"),)))

    assert ends(chat) == ["-", "-", "-", "-"]


def test_a_compaction_tells_its_end_on_the_message_that_shows_it() -> None:
    chat = idle()
    chat.tell(RequestCompaction())
    chat.tell(BeginAttempt())

    chat.tell(CommitStep(messages=summary("in short"), consumes_request=True))
    chat.tell(FinishTurn())

    assert ends(chat) == ["-", "complete", "-", "complete"]


def test_a_compaction_that_fails_leaves_the_end_of_the_turn_before() -> None:
    chat = idle()
    chat.tell(RequestCompaction())

    chat.tell(FailTurn(failure=failure()))
    assert ends(chat) == ["-", "complete"]
    chat.tell(RetryTurn())

    assert ends(chat) == ["-", "complete"]


def test_an_edit_interrupts_the_turn_of_the_branch_that_is_left() -> None:
    chat = running()
    chat.tell(step(says("let me see", call("a"))))
    chat.tell(EditMessage(message_id=MessageId(1), content=said("hello again")))
    assert ends(chat) == ["-"]
    chat.tell(step(says("hi")))
    chat.tell(FinishTurn())

    left = chat.branch_history(BranchId(1))
    assert [message.turn_end and message.turn_end.reason for message in left] == [None, "interrupted"]


def test_a_branch_that_is_entered_again_has_the_ends_of_its_turns() -> None:
    chat = idle()
    chat.tell(EditMessage(message_id=MessageId(1), content=said("hello again")))
    chat.tell(FailTurn(failure=failure()))
    assert ends(chat) == ["error: The model is gone."]

    chat.tell(SwitchBranch(branch=BranchId(1)))
    assert ends(chat) == ["-", "complete"]
    chat.tell(SwitchBranch(branch=BranchId(2)))

    assert ends(chat) == ["error: The model is gone."]
