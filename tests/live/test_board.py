"""The board: one list for each episode, which everybody reads at their own pace."""

import json

import pytest
from prometheus_client import REGISTRY

from chatd.domain.ids import ChatId
from chatd.domain.message import Role
from chatd.domain.part import Text
from chatd.kit.bell import Bell
from chatd.live.board import CLOSED_MAX, EPISODE_BYTES_MAX, RETENTION_SECONDS, Board, Episode
from chatd.live.episode import EpisodeKey, ToolCallPiece
from tests.clock import MovedClock
from tests.traceability import proves

KEY = EpisodeKey(ChatId("chat"), 7, 1)
OTHER = EpisodeKey(ChatId("chat"), 7, 2)


@pytest.fixture
def board(clock: MovedClock) -> Board:
    return Board(clock)


def add(episode: Episode, *words: str) -> None:
    for word in words:
        episode.add(Role.ASSISTANT, Text(text=word))


def heard(board: Board, key: EpisodeKey = KEY) -> list[str]:
    return [spoken.part.text for spoken in board.parts(key) if isinstance(spoken.part, Text)]


@proves("streaming", 2)
def test_parts_are_kept_in_order_and_counted_from_1(board: Board, clock: MovedClock) -> None:
    episode = board.open(KEY)
    add(episode, "one", "two")

    parts = board.parts(KEY)
    assert [(spoken.seq, spoken.role, spoken.part, spoken.at) for spoken in parts] == [
        (1, Role.ASSISTANT, Text(text="one"), clock.now_micros()),
        (2, Role.ASSISTANT, Text(text="two"), clock.now_micros()),
    ]
    episode.since(0).clear()
    add(episode, "three")
    assert heard(board) == ["one", "two", "three"]
    assert len(parts) == 2


def test_an_unknown_episode_has_said_nothing(board: Board) -> None:
    assert board.parts(KEY) == ()
    assert board.find(KEY) is None
    assert board.newest_spoken(KEY.chat_id, KEY.history) is None


def test_a_part_is_encoded_once_as_the_beginning_of_its_event(board: Board) -> None:
    episode = board.open(KEY)
    episode.add(Role.TOOL, Text(text='"quoted" \ud800'), internal={"signature": "secret"})

    (said,) = episode.since(0)
    event = json.loads(said.begun + b'rest"}')
    assert event == {
        "type": "message_part", "chat_id": "chat", "role": "tool",
        "part": {"type": "text", "text": '"quoted" \ud800'},
        "history_version": 7, "generation_attempt": 1, "seq": 1, "cursor": "1.rest",
    }  # fmt: skip
    assert board.parts(KEY)[0].internal == {"signature": "secret"}


@proves("streaming", 4)
def test_a_full_episode_says_so_once_and_goes_on_in_silence(board: Board) -> None:
    episode = board.open(KEY)
    add(episode, "a" * (EPISODE_BYTES_MAX - 1000))
    # What surrounds a text counts too: these are tiny, and their events are not.
    add(episode, *"x" * 20)

    said = episode.since(0)
    assert [each.type for each in said] == ["message_part"] * (len(said) - 1) + ["gap"]
    assert 1 < len(said) < 20
    assert sum(len(each.begun) for each in said[:-1]) <= EPISODE_BYTES_MAX
    assert len(board.parts(KEY)) == len(said) - 1
    assert json.loads(said[-1].begun + b'"}') == {
        "type": "gap", "chat_id": "chat", "what": "preview", "cursor": f"{len(said)}.",
    }  # fmt: skip


def test_a_full_episode_is_counted_once(board: Board) -> None:
    before = REGISTRY.get_sample_value("chatd_stream_buffer_dropped_total") or 0

    add(board.open(KEY), *["a" * (EPISODE_BYTES_MAX // 2)] * 4)

    assert REGISTRY.get_sample_value("chatd_stream_buffer_dropped_total") == before + 1


@proves("streaming", 5)
def test_whoever_closes_first_wins(board: Board) -> None:
    board.close(KEY)

    episode = board.open(KEY)
    add(episode, "too late")

    assert episode.closed
    assert board.parts(KEY) == ()
    assert board.open(KEY) is episode


@proves("streaming", 6)
async def test_closing_twice_is_closing_once(board: Board, clock: MovedClock) -> None:
    episode = board.open(KEY)
    episode.close()
    closed_at = episode.closed_at
    await clock.advance(5)
    episode.close()

    assert episode.closed_at == closed_at


@proves("streaming", 7)
async def test_it_is_noted_when_the_model_was_called(board: Board, clock: MovedClock) -> None:
    board.open(KEY).start_model()
    started = clock.now_micros()
    await clock.advance(1)
    closed = board.open(OTHER)
    closed.close()
    closed.start_model()

    assert board.model_started_at(KEY) == started
    assert board.model_started_at(OTHER) is None
    assert board.model_started_at(EpisodeKey(ChatId("unknown"), 1, 1)) is None
    assert board.model_started_at(KEY) == started


@proves("streaming", 8, 9)
def test_a_reader_keeps_their_place_and_takes_everything_new(board: Board) -> None:
    episode = board.open(KEY)
    add(episode, "one", "two")
    first = episode.since(0)
    add(episode, "three")
    episode.close()

    assert [said.seq for said in first] == [1, 2]
    assert [said.seq for said in episode.since(2)] == [3]
    assert episode.since(3) == []


@proves("streaming", 10)
async def test_who_waits_before_anything_is_said_is_woken_by_the_first_part(board: Board) -> None:
    bell = Bell()
    with board.following(KEY.chat_id, bell):
        episode = board.open(KEY)
        assert board.newest_spoken(KEY.chat_id, 7) is None
        add(episode, *"abc")
        assert await bell.wait()
        assert board.newest_spoken(KEY.chat_id, 7) is episode


@proves("streaming", 11)
def test_who_leaves_before_anything_is_said_leaves_nothing_behind(board: Board) -> None:
    bell = Bell()
    with board.following(KEY.chat_id, bell):
        pass

    assert board._bells == {}
    add(board.open(KEY), "on")
    assert heard(board) == ["on"]


@proves("streaming", 12)
async def test_closed_episodes_are_forgotten_after_a_while(board: Board, clock: MovedClock) -> None:
    reader = board.open(KEY)
    add(reader, "one")
    reader.close()
    await clock.advance(RETENTION_SECONDS - 1)
    board.open(OTHER).close()
    assert heard(board) == ["one"]

    await clock.advance(1)
    board.sweep()

    assert board.find(KEY) is None
    assert board.find(OTHER) is not None
    # Whoever still reads has the episode in hand.
    assert len(reader.since(0)) == 1


def test_closed_episodes_are_bounded_in_number(board: Board) -> None:
    for attempt in range(CLOSED_MAX + 10):
        board.open(EpisodeKey(ChatId("chat"), 1, attempt)).close()

    assert len(board._episodes) == CLOSED_MAX


@proves("streaming", 14)
async def test_a_burst_wakes_a_reader_once(board: Board) -> None:
    bell = Bell()
    with board.following(KEY.chat_id, bell):
        episode = board.open(KEY)
        add(episode, *["word"] * 5000)
        assert await bell.wait()
        assert len(episode.since(0)) == 5000
        assert not bell._rung


def test_the_newest_attempt_that_spoke_is_the_one_to_show(board: Board) -> None:
    first, second = board.open(KEY), board.open(OTHER)
    add(first, "one")
    assert board.newest_spoken(KEY.chat_id, 7) is first
    add(second, "two")
    assert board.newest_spoken(KEY.chat_id, 7) is second
    assert board.newest_spoken(KEY.chat_id, 8) is None


def test_a_part_takes_at_most_a_few_microseconds_of_bookkeeping(board: Board) -> None:
    """Not timed: only that nothing grows with the number of parts but the list itself."""
    episode = board.open(KEY)
    for _ in range(1000):
        episode.add(Role.ASSISTANT, ToolCallPiece(tool_call_id="c", args_delta="x"))  # type: ignore[arg-type]

    assert len(board.take_unlogged()) == 1
    assert board.take_unlogged() == []
