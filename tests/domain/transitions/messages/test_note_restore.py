import pytest

from chatd.domain.chat import Situation, Status
from chatd.domain.ids import MessageId
from chatd.domain.message import Role, Visibility
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.note_restore import NoteRestore
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.errors import NotAllowed
from tests.domain.chats import asking, calling, failed, idle, interrupting, running
from tests.support.model import ModelChat
from tests.words import call, failure, said, send, words_of

NOTE = NoteRestore(notice="2 files are back.", for_model="The user restored files.")


def shown_to(chat: ModelChat, *audience: Visibility) -> list[str]:
    return [words_of(message) for message in chat.history if message.visibility in audience]


def test_people_and_the_model_each_get_their_own_words() -> None:
    chat = idle()

    chat.tell(NOTE)

    assert chat.chat.situation == Situation(Status.WAITING)
    assert shown_to(chat, Visibility.USER) == ["system: 2 files are back."]
    assert shown_to(chat, Visibility.MODEL) == ["user: The user restored files."]


def test_the_agent_does_not_speak_because_of_it() -> None:
    """Neither at once nor after a summary: the last one to speak is still the agent."""
    chat = idle()
    known = chat.chat.projection

    chat.tell(NOTE)

    assert chat.chat.projection.last_role is Role.ASSISTANT
    assert chat.chat.projection.last_id == known.last_id
    assert chat.chat.projection.ended
    chat.tell(RequestCompaction())


def test_an_edit_of_an_earlier_message_leaves_the_note_behind() -> None:
    """Then the history says nothing of what was changed and brought back since."""
    chat = idle()
    chat.tell(NOTE)

    chat.tell(EditMessage(message_id=MessageId(1), content=said("hello again")))

    assert [words_of(message) for message in chat.history] == ["user: hello again"]


def test_a_failed_turn_stays_failed_and_can_be_tried_again() -> None:
    chat = failed("queued")

    chat.tell(NOTE)
    assert chat.chat.situation == Situation(Status.ERROR, queued=True)
    assert chat.chat.last_error == failure()

    chat.tell(RetryTurn())
    assert [message.turn_end for message in chat.history] == [None] * 3


def test_open_calls_of_a_failed_turn_are_closed_and_the_turn_can_still_be_tried_again() -> None:
    chat = calling(call("a"))
    chat.tell(FailTurn(failure=failure()))

    chat.tell(NOTE)

    assert chat.locked.calls == ()
    assert shown_to(chat, Visibility.BOTH)[-1] == "tool: a failed"
    ends = [message.turn_end for message in chat.history if message.visibility is Visibility.BOTH]
    assert [end.error if end else None for end in ends] == [None, None, failure()]
    assert chat.chat.projection.failed

    chat.tell(RetryTurn())
    assert [message.turn_end for message in chat.history] == [None] * 5


def test_the_next_message_is_answered_as_ever() -> None:
    chat = idle()
    chat.tell(NOTE)

    chat.tell(send("go on"))

    assert chat.chat.situation == Situation(Status.RUNNING)
    assert shown_to(chat, Visibility.BOTH, Visibility.MODEL)[-2:] == [
        "user: The user restored files.",
        "user: go on",
    ]


@pytest.mark.parametrize("chat", [running(), interrupting(), asking()], ids=["running", "stopping", "asking"])
def test_it_is_refused_while_a_turn_is_under_way(chat: ModelChat) -> None:
    with pytest.raises(NotAllowed):
        chat.tell(NOTE)
