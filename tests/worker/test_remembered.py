from chatd.agent.hold.memory import Memory
from chatd.domain.ids import ChatId
from chatd.providers.dialects.chat import CHAT
from chatd.providers.model import Request
from chatd.providers.request.writer import RequestWriter
from chatd.worker.remembered import Remembered
from tests.providers.histories import TARGET
from tests.support.model import ModelChat
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


def test_few_messages_that_are_large_are_forgotten_like_many() -> None:
    memory = a_memory(3)
    RequestWriter(Request(messages=memory.prompt()), TARGET, CHAT).write({})
    remembered = Remembered(bytes_max=2 * memory.size)
    for chat_id in (A, B, C):
        remembered.give_back(chat_id, a_memory(3))

    assert [len(remembered.take(chat_id)) for chat_id in (A, B, C)] == [0, 3, 3]


def test_what_was_written_for_a_model_counts_too() -> None:
    memory = Memory()
    history = [user("x" * 1000), says("Yes."), user("y"), says("No."), user("z"), says("Well.")]
    memory._learn(ModelChat(create(*history)).history)
    before = memory.size
    RequestWriter(Request(messages=memory.prompt()), TARGET, CHAT).write({})

    assert memory.size > before + 1000


def test_a_memory_that_is_given_back_twice_counts_once() -> None:
    remembered = Remembered(messages_max=4)
    for _ in range(3):
        remembered.give_back(A, a_memory(4))

    assert len(remembered.take(A)) == 4
