"""Files that messages refer to."""

import pytest

from chatd.domain.limits import FILES_MAX
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.errors import BadInput, LimitReached, TooManyFiles
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import create, user

FILES = [f"file {n}" for n in range(FILES_MAX + 1)]


def send_file(name: str) -> SendMessage:
    return SendMessage(message=user("see", file=name), when=When.QUEUE)


def full() -> ModelChat:
    chat = ModelChat(create(*[user("see", file=name) for name in FILES[:FILES_MAX]]), files=FILES)
    assert len(chat.links) == 50
    return chat


@proves("api", 56)
@proves("state-machine", 64)
def test_a_chat_refers_to_fifty_files_and_no_more() -> None:
    chat = full()
    before = chat.locked

    with pytest.raises(TooManyFiles, match="50 files") as refusal:
        chat.tell(send_file(FILES[50]))

    assert isinstance(refusal.value, LimitReached)
    assert chat.locked == before


@proves("state-machine", 64)
def test_a_file_that_the_chat_knows_costs_nothing() -> None:
    chat = full()

    chat.tell(send_file(FILES[0]))

    assert chat.queue == ["see, File"]
    assert len(chat.links) == 50


@proves("state-machine", 65)
def test_a_file_that_is_not_there_is_refused() -> None:
    chat = ModelChat()

    with pytest.raises(BadInput, match="There is no file 'gone'"):
        chat.tell(send_file("gone"))


def test_a_queued_message_links_its_file_at_once() -> None:
    chat = ModelChat(files=FILES)

    chat.tell(send_file(FILES[0]))

    assert chat.links == {FILES[0]}
