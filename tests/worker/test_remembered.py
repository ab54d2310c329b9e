from chatd.agent.memory import Memory
from chatd.domain.ids import ChatId
from chatd.worker.remembered import Remembered
from tests.model import ModelChat
from tests.words import create, says, step, user

A, B, C = (ChatId(name) for name in "abc")


def a_memory(messages: int) -> Memory:
    chat = ModelChat(create(*[user(f"{n}") for n in range(messages - 1)]))
    memory = Memory()
    memory._learn(chat.history)
    memory._version = chat.chat.versions.history
    memory.follow(chat.tell(step(says("well"))), since=memory._version)
    assert len(memory) == messages
    return memory


def test_what_was_given_back_is_there_once() -> None:
    remembered, memory = Remembered(), a_memory(3)
    remembered.give_back(A, memory)

    assert remembered.take(A) is memory
    assert remembered.take(A) is not memory


def test_the_chats_that_were_driven_last_are_remembered() -> None:
    remembered = Remembered(messages_max=10)
    for chat_id in (A, B, C):
        remembered.give_back(chat_id, a_memory(4))

    assert [len(remembered.take(chat_id)) for chat_id in (A, B, C)] == [0, 4, 4]


def test_a_chat_that_is_too_long_to_remember_is_not() -> None:
    remembered = Remembered(messages_max=10)
    remembered.give_back(A, a_memory(11))

    assert len(remembered.take(A)) == 0
