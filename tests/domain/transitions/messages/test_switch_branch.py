import pytest

from chatd.domain.chat import Situation, Status
from chatd.domain.decision.projection import of_history
from chatd.domain.ids import BranchId, MessageId
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import NotAllowed, NotFound
from tests.domain.chats import calling, idle
from tests.support.model import ModelChat
from tests.words import call, failure, said, says, send, step


def forked() -> ModelChat:
    """Two branches: "hello, hi" and "hey, yo"; the second is active."""
    chat = idle()
    chat.tell(EditMessage(message_id=MessageId(1), content=said("hey")))
    chat.tell(step(says("yo")))
    chat.tell(FinishTurn())
    return chat


def test_an_older_branch_becomes_the_active_one_again() -> None:
    chat = forked()

    chat.tell(SwitchBranch(branch=BranchId(1)))

    assert chat.transcript == ["user: hello", "assistant: hi"]
    assert chat.chat.situation == Situation(Status.WAITING)
    assert chat.chat.projection == of_history(chat.history)


def test_one_may_go_back_and_forth() -> None:
    chat = forked()

    chat.tell(SwitchBranch(branch=BranchId(1)))
    chat.tell(SwitchBranch(branch=BranchId(2)))

    assert chat.transcript == ["user: hey", "assistant: yo"]


def test_an_older_branch_can_be_gone_on_with() -> None:
    chat = forked()
    chat.tell(SwitchBranch(branch=BranchId(1)))

    chat.tell(send("and now?"))

    assert chat.transcript == ["user: hello", "assistant: hi", "user: and now?"]


def test_every_message_that_came_or_went_has_a_new_revision() -> None:
    chat = forked()

    chat.tell(SwitchBranch(branch=BranchId(1)))

    assert {message.revision for message in chat.messages.values()} == {chat.chat.versions.snapshot}
    assert chat.chat.versions.history == chat.chat.versions.snapshot


def test_switching_out_of_a_failed_turn_clears_the_failure() -> None:
    chat = forked()
    chat.tell(send("again"))
    chat.tell(FailTurn(failure=failure()))

    chat.tell(SwitchBranch(branch=BranchId(1)))

    assert chat.chat.last_error is None
    assert chat.chat.status is Status.WAITING


@pytest.mark.parametrize("branch", [0, 2, 3])
def test_there_must_be_another_branch_of_that_number(branch: int) -> None:
    with pytest.raises(NotFound, match="no other branch"):
        forked().tell(SwitchBranch(branch=BranchId(branch)))


def test_a_chat_with_open_calls_stays_where_it_is() -> None:
    chat = calling(call("a"))
    chat.tell(EditMessage(message_id=MessageId(1), content=said("hey")))
    chat.tell(step(says("hm", call("b"))))
    chat.tell(FailTurn(failure=failure()))

    with pytest.raises(NotAllowed, match="no result yet"):
        chat.tell(SwitchBranch(branch=BranchId(1)))


def test_a_branch_that_was_left_in_the_middle_of_a_call_still_owes_its_answer() -> None:
    chat = calling(call("a"))
    chat.tell(EditMessage(message_id=MessageId(1), content=said("hey")))
    chat.tell(FinishTurn())

    chat.tell(SwitchBranch(branch=BranchId(1)))

    assert [open_.id for open_ in chat.locked.calls] == ["a"]
    assert chat.chat.open_calls == 1
