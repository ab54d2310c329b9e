import pytest
from msgspec.structs import replace

from chatd.domain.ids import Micros
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.workspace.context import Pinned
from tests.domain.chats import idle, running
from tests.support.model import ModelChat
from tests.words import told


def pinned(chat: ModelChat) -> Pinned:
    assert chat.chat.context is not None
    return chat.chat.context


def look(chat: ModelChat, text: str) -> None:
    """A worker compares what the workspace tells now."""
    chat.tell(NoteContext(hash=told(text).hash, over=chat.chat.pin_version))


def test_what_the_workspace_tells_is_pinned() -> None:
    chat = running()

    chat.tell(PinContext(context=told(), over=0))

    assert chat.chat.context == Pinned(
        workspace="/w", hash=told().hash, version=chat.chat.versions.snapshot, at=chat.locked.now
    )


def test_of_two_workers_that_pin_one_is_heard() -> None:
    chat = running()
    chat.tell(PinContext(context=told("first"), over=0))

    chat.tell(PinContext(context=told("second"), over=0))

    assert pinned(chat).hash == told("first").hash


def test_a_worker_does_not_undo_what_a_user_has_refreshed_meanwhile() -> None:
    chat = running()
    chat.tell(PinContext(context=told("old"), over=0))
    seen = chat.chat.pin_version
    chat.tell(PinContext(context=told("refreshed")))

    chat.tell(PinContext(context=told("of another workspace"), over=seen))
    chat.tell(NoteContext(hash=told("old").hash, over=seen))

    assert (pinned(chat).hash, pinned(chat).dirty_since) == (told("refreshed").hash, None)


def test_a_workspace_that_tells_something_else_is_noted_with_the_first_time() -> None:
    chat = idle()
    chat.tell(PinContext(context=told()))

    look(chat, "something else")
    since = chat.locked.now
    chat.locked = replace(chat.locked, now=Micros(since + 5))
    look(chat, "something else again")

    assert (pinned(chat).dirty_since, pinned(chat).hash) == (since, told().hash)


def test_one_that_tells_the_same_again_differs_no_more() -> None:
    chat = idle()
    chat.tell(PinContext(context=told()))
    look(chat, "something else")

    look(chat, told().resources[0].text)

    assert pinned(chat).dirty_since is None


def test_a_new_pin_differs_from_nothing() -> None:
    chat = idle()
    chat.tell(PinContext(context=told()))
    look(chat, "something else")

    chat.tell(PinContext(context=told("something else")))

    assert pinned(chat).dirty_since is None


def test_a_pin_can_be_taken_away() -> None:
    chat = idle()
    chat.tell(PinContext(context=told()))

    chat.tell(PinContext(context=None))

    assert (chat.chat.context, chat.chat.pin_version) == (None, 0)


@pytest.mark.parametrize("command", [PinContext(context=told()), NoteContext(hash="", over=0)])
def test_neither_moves_the_history_nor_the_place_in_lists(command: PinContext | NoteContext) -> None:
    chat = idle()
    before = chat.chat

    chat.tell(command)

    after = chat.chat
    assert (after.versions.history, after.updated_at, after.situation) == (
        before.versions.history,
        before.updated_at,
        before.situation,
    )
