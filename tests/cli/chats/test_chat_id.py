"""The beginning of an id: what may be one, and that not every word is taken for it."""

import pytest

from chatd.cli.chats.chat_id import is_whole_id, looks_like_id
from chatd.kit.ids import new_id


@pytest.mark.parametrize("length", [4, 8, 9, 35, 36])
def test_an_id_and_its_beginnings_look_like_one(length: int) -> None:
    chat_id = new_id()

    assert looks_like_id(chat_id[:length])
    assert is_whole_id(chat_id[:length]) is (length == 36)


def test_the_beginning_of_an_agent_looks_like_one_from_eight_characters_on() -> None:
    assert looks_like_id("dc125f33-fa11")
    assert not any(map(looks_like_id, ("dc125f3", "deadbeef", "facade-deed")))


@pytest.mark.parametrize("word", ["", "01a", "cafe", "dead", "hello", "01A1", "01a1 ", "0" * 40, "2026?"])
def test_other_words_do_not(word: str) -> None:
    assert not looks_like_id(word)
