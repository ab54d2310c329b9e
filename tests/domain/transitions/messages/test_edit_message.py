import pytest
from msgspec.structs import replace

from chatd.domain import machine
from chatd.domain.chat import Situation, Status
from chatd.domain.ids import BranchId, MessageId
from chatd.domain.message import Effort
from chatd.domain.transitions.messages.edit_message import EditMessage, QueueOnEdit
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import NotAllowed, NotAUserMessage, NotFound
from tests.domain.chats import asking, calling, idle, running
from tests.domain.test_matrix import A_PAST, a_chat, an_open_call, with_calls
from tests.support.model import ModelChat, transcript
from tests.traceability import proves
from tests.words import call, create, said, says, send, step, summary, system, user


def edit(number: int, words: str = "edited", **more: object) -> EditMessage:
    return EditMessage(message_id=MessageId(number), content=said(words), **more)  # type: ignore[arg-type]


def a_conversation() -> ModelChat:
    """hello, hi, and now?, well, with numbers 1 to 4."""
    chat = idle()
    chat.tell(send("and now?"))
    chat.tell(step(says("well")))
    chat.tell(FinishTurn())
    return chat


def test_an_edit_replaces_the_message_and_everything_after_it() -> None:
    chat = a_conversation()

    (outcome,) = chat.tell(edit(3, "and then?"))

    assert chat.transcript == ["user: hello", "assistant: hi", "user: and then?"]
    assert chat.chat.situation == Situation(Status.RUNNING)
    assert outcome.cut_from == 3


def test_what_an_edit_replaced_stays_readable_as_a_branch() -> None:
    chat = a_conversation()
    before = chat.transcript

    chat.tell(edit(1, "hey"))

    assert transcript(chat.branch_history(BranchId(1))) == before
    assert chat.chat.branch == 2
    assert transcript(chat.branch_history(BranchId(2))) == ["user: hey"]


@proves("state-machine", 18)
def test_a_call_that_was_open_before_the_edited_message_is_answered_before_its_replacement() -> None:
    # No history gets here by itself any more: nobody can speak over an open call.
    locked = with_calls(
        a_chat(Situation(Status.RUNNING)), replace(an_open_call("a"), message_id=MessageId(1))
    )
    locked = replace(locked, past=A_PAST)

    appended = machine.decide(machine.begin(locked), edit(2)).appended

    assert transcript(appended) == ["tool: a failed", "user: edited"]


@proves("state-machine", 19)
def test_only_a_users_message_can_be_edited() -> None:
    chat = idle()

    with pytest.raises(NotAUserMessage, match="not a user's") as refusal:
        chat.tell(edit(2))

    assert isinstance(refusal.value, NotAllowed)


@proves("state-machine", 20)
def test_a_message_that_is_not_there_cannot_be_edited() -> None:
    chat = a_conversation()
    chat.tell(edit(3))

    for gone in (3, 99):
        with pytest.raises(NotFound, match=f"no message {gone}"):
            chat.tell(edit(gone))


def test_a_summary_is_no_users_message() -> None:
    chat = running()
    chat.tell(step(says("hi")))
    chat.tell(step(*summary("so far")))

    with pytest.raises(NotFound):
        chat.tell(edit(3))


@proves("state-machine", 21)
def test_what_comes_with_an_edit_follows_it_and_goes_with_it() -> None:
    chat = idle()
    chat.tell(edit(1, "hey", suffix=(system("a note"),)))
    assert chat.transcript == ["user: hey", "system: a note"]

    chat.tell(edit(3, "ho"))

    assert chat.transcript == ["user: ho"]


@proves("state-machine", 22)
def test_an_edit_that_is_to_drop_the_queue_does_so_and_says_so() -> None:
    chat = running("a", "b")
    waiting = [row.id for row in chat.locked.queue]

    (outcome,) = chat.tell(edit(1, queue=QueueOnEdit.DROP))

    assert chat.queue == []
    assert list(outcome.dequeued) == waiting
    assert chat.chat.situation == Situation(Status.RUNNING)


def test_an_edit_keeps_what_waits_and_it_follows_the_edited_message() -> None:
    chat = running("a", "b")

    (outcome,) = chat.tell(edit(1))

    assert chat.queue == ["a", "b"]
    assert outcome.dequeued == ()
    chat.tell(step(says("well")))
    chat.tell(FinishTurn())
    assert chat.transcript[-1] == "user: a"


@proves("state-machine", 23)
def test_an_edit_keeps_the_model_and_effort_of_the_original_unless_told_otherwise() -> None:
    chat = ModelChat(create(replace(user("hello"), model="small", effort=Effort.LOW)))

    chat.tell(edit(1))
    assert (chat.history[-1].model, chat.history[-1].effort) == ("small", Effort.LOW)

    chat.tell(edit(2, model="large", effort=Effort.HIGH))
    assert (chat.history[-1].model, chat.history[-1].effort) == ("large", Effort.HIGH)
    assert (chat.chat.last_model, chat.chat.last_effort) == ("large", Effort.HIGH)


def test_an_edit_leaves_the_calls_of_the_old_branch_behind() -> None:
    chat = calling(call("a"))

    chat.tell(edit(1))

    assert chat.chat.open_calls == 0
    assert chat.transcript == ["user: edited"]


def test_a_chat_that_waits_for_a_client_stops_waiting_when_edited() -> None:
    chat = asking()

    chat.tell(edit(1))

    assert chat.chat.deadline_at is None
    assert chat.chat.status is Status.RUNNING
