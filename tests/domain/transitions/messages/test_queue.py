"""Taking a queued message back, and putting one first."""

import pytest
from msgspec.structs import replace

from chatd.domain.chat import Situation, Status
from chatd.domain.ids import QueuedId
from chatd.domain.transitions.messages.delete_queued import DeleteQueued
from chatd.domain.transitions.messages.promote_queued import PromoteQueued
from chatd.domain.transitions.messages.reorder_queue import ReorderQueue
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import BadInput, NotFound
from tests.domain.chats import asking, calling, failed, interrupting, running
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import call, client_call, says, send, step


def row(chat: ModelChat, words: str) -> QueuedId:
    return chat.locked.queue[chat.queue.index(words)].id


def promote(chat: ModelChat, words: str) -> None:
    chat.tell(PromoteQueued(queued_id=row(chat, words)))


@proves("state-machine", 29)
def test_taking_back_the_last_message_leaves_an_empty_queue() -> None:
    chat = interrupting("a")

    chat.tell(DeleteQueued(queued_id=row(chat, "a")))

    assert chat.chat.situation == Situation(Status.INTERRUPTING)


def test_taking_a_message_back_touches_nothing_but_the_queue() -> None:
    chat = running("a", "b")
    before = chat.chat

    chat.tell(DeleteQueued(queued_id=row(chat, "a")))

    snapshot = before.versions.snapshot + 1
    expected = replace(before, queued=1, versions=replace(before.versions, snapshot=snapshot, queue=snapshot))
    assert chat.chat == expected
    assert chat.queue == ["b"]


def test_a_queued_message_keeps_its_key_when_it_enters_the_history() -> None:
    chat = running()
    chat.tell(send("later", key="mine"))
    assert [row.key for row in chat.locked.queue] == ["mine"]

    chat.tell(step(says("hi")))
    chat.tell(FinishTurn())

    assert [message.key for message in chat.history] == [None, None, "mine"]


@proves("state-machine", 24)
def test_after_a_failure_the_promoted_message_starts_the_turn() -> None:
    chat = failed("a", "b")

    promote(chat, "b")

    assert chat.transcript == ["user: hello", "user: b"]
    assert chat.queue == ["a"]
    assert chat.chat.situation == Situation(Status.RUNNING, queued=True)
    assert chat.chat.last_error is None


@proves("state-machine", 25)
def test_promoting_the_only_message_empties_the_queue() -> None:
    chat = failed("a")

    promote(chat, "a")

    assert chat.chat.situation == Situation(Status.RUNNING)


@proves("state-machine", 26)
def test_promoting_the_head_of_a_busy_chat_stops_it_and_leaves_the_queue() -> None:
    chat = running("a", "b")
    before = chat.chat.versions.queue

    promote(chat, "a")

    assert chat.chat.situation == Situation(Status.INTERRUPTING, queued=True)
    assert chat.queue == ["a", "b"]
    assert chat.chat.versions.queue == before


@proves("state-machine", 26)
def test_promoting_another_message_of_a_busy_chat_puts_it_first() -> None:
    chat = running("a", "b")

    promote(chat, "b")

    assert chat.queue == ["b", "a"]
    assert chat.chat.versions.queue == chat.chat.versions.snapshot


@proves("state-machine", 27)
def test_promoting_answers_every_open_call_first() -> None:
    chat = asking(call("a"), client_call("tab"), queued=("next",))

    promote(chat, "next")

    assert chat.transcript[-3:] == ["tool: a failed", "tool: tab failed", "user: next"]
    assert chat.chat.deadline_at is None


@proves("state-machine", 28)
@pytest.mark.parametrize("command", [DeleteQueued, PromoteQueued])
def test_a_message_that_does_not_wait_cannot_be_moved(command: type[DeleteQueued]) -> None:
    with pytest.raises(NotFound, match="No message 99 is waiting"):
        running("a").tell(command(queued_id=QueuedId(99)))


def reorder(chat: ModelChat, *words: str) -> None:
    chat.tell(ReorderQueue(queued_ids=tuple(row(chat, each) for each in words)))


def test_the_queue_can_be_put_in_any_order_and_goes_on_in_it() -> None:
    chat = running("a", "b", "c")

    reorder(chat, "c", "a", "b")
    chat.tell(send("d"))
    assert chat.queue == ["c", "a", "b", "d"]

    chat.tell(step(says("hi")))
    chat.tell(FinishTurn())
    assert chat.transcript[-1] == "user: c"
    assert chat.queue == ["a", "b", "d"]


def test_another_order_touches_nothing_but_the_queue() -> None:
    chat = running("a", "b")
    before = chat.chat

    reorder(chat, "b", "a")

    snapshot = before.versions.snapshot + 1
    assert chat.chat == replace(before, versions=replace(before.versions, snapshot=snapshot, queue=snapshot))


def test_the_order_that_is_there_already_changes_nothing() -> None:
    chat = running("a", "b")
    before = chat.chat.versions.queue

    reorder(chat, "a", "b")

    assert (chat.queue, chat.chat.versions.queue) == (["a", "b"], before)


def test_what_has_left_the_queue_is_passed_over_and_what_has_joined_it_stays_behind() -> None:
    chat = running("a", "b", "c")
    seen = [each.id for each in chat.locked.queue]
    chat.tell(DeleteQueued(queued_id=seen[1]))
    chat.tell(send("d"))

    chat.tell(ReorderQueue(queued_ids=(seen[2], seen[1], seen[0])))

    assert chat.queue == ["c", "a", "d"]


def test_a_message_has_one_place_in_an_order() -> None:
    chat = running("a", "b")

    with pytest.raises(BadInput, match="named twice"):
        reorder(chat, "b", "b")


@proves("state-machine", 56)
def test_the_queue_version_follows_the_queue_and_nothing_else() -> None:
    chat = running("a", "b")
    assert chat.chat.versions.queue == chat.chat.versions.snapshot == 3

    promote(chat, "b")
    assert chat.chat.versions.queue == chat.chat.versions.snapshot == 4

    chat.tell(DeleteQueued(queued_id=row(chat, "a")))
    assert chat.chat.versions.queue == chat.chat.versions.snapshot == 5

    other = calling(call("a"))
    assert other.chat.versions.queue == 0
