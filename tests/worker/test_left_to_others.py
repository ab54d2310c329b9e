"""Which chats a worker without a free slot leaves to others, and for how long."""

import pytest
from msgspec.structs import replace

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, UserId
from chatd.hints.memory import MemoryBus
from chatd.worker.left_to_others import FORGOTTEN_SECONDS, LEFT_MAX, LEFT_SECONDS, LeftToOthers
from tests.clock import MovedClock
from tests.support.model import ModelChat

FULL, FREE = UserId("full"), UserId("free")


class Crowd(MemoryBus):
    """There are other processes."""

    @property
    def is_alone(self) -> bool:
        return False


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def left(clock: MovedClock) -> LeftToOthers:
    return LeftToOthers(Crowd(), clock, lambda owner: owner == FREE)


def a_chat(name: str = "chat", owner: UserId = FULL, status: Status = Status.RUNNING) -> Chat:
    chat = ModelChat().chat
    return replace(chat, id=ChatId(name), owner_id=owner, status=status)


async def test_a_chat_that_would_wait_here_is_left_for_a_moment(
    left: LeftToOthers, clock: MovedClock
) -> None:
    assert left.leave(a_chat())
    assert ChatId("chat") in left

    await clock.advance(LEFT_SECONDS)
    assert ChatId("chat") not in left
    assert not left.leave(a_chat())


def test_a_chat_that_could_begin_or_is_to_be_stopped_is_not_left(left: LeftToOthers) -> None:
    assert not left.leave(a_chat(owner=FREE))
    assert not left.leave(a_chat(status=Status.INTERRUPTING))
    assert len(left) == 0


def test_a_process_that_is_alone_leaves_nothing(clock: MovedClock) -> None:
    assert not LeftToOthers(MemoryBus(), clock, lambda _: False).leave(a_chat())


async def test_no_more_are_left_than_can_be_remembered(left: LeftToOthers, clock: MovedClock) -> None:
    for number in range(LEFT_MAX):
        assert left.leave(a_chat(f"chat {number}"))
    assert not left.leave(a_chat("one more"))

    await clock.advance(LEFT_SECONDS + FORGOTTEN_SECONDS)
    assert left.leave(a_chat("one more"))
    assert len(left) == 1
