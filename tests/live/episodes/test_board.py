"""The board: one list for each episode, which everybody reads at their own pace."""

import json

import pytest
from prometheus_client import REGISTRY

from chatd.domain.ids import CallId, ChatId
from chatd.domain.message import Role
from chatd.domain.part import Reasoning, Source, Text
from chatd.kit.codec import encode
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.board import (
    CLOSED_BYTES_MAX,
    CLOSED_MAX,
    EPISODE_BYTES_MAX,
    NEWEST_PARTS,
    RETENTION_SECONDS,
    Board,
    Episode,
)
from chatd.live.episodes.episode import (
    PART,
    EpisodeKey,
    LivePart,
    Said,
    Spoken,
    ToolCallPiece,
    ToolResultPiece,
)
from tests.clock import MovedClock
from tests.traceability import proves

KEY = EpisodeKey(ChatId("chat"), 7, 1)
OTHER = EpisodeKey(ChatId("chat"), 7, 2)

LARGE = "x" * (EPISODE_BYTES_MAX // 2)
LARGE_BYTES = len(encode(Text(text=LARGE)))


@pytest.fixture
def board(clock: MovedClock) -> Board:
    return Board(clock)


def add(episode: Episode, *words: str) -> None:
    for word in words:
        episode.add(Role.ASSISTANT, Text(text=word))


def heard(board: Board, key: EpisodeKey = KEY) -> str:
    return "".join(spoken.part.text for spoken in board.parts(key) if isinstance(spoken.part, Text))


def write_down(board: Board) -> None:
    """The part log has written what there was, and begins its next tick."""
    board.take_unlogged()
    board.take_unlogged()


def close_many(board: Board) -> list[EpisodeKey]:
    """More large episodes than are kept."""
    keys = [EpisodeKey(ChatId("busy"), number, 1) for number in range(CLOSED_BYTES_MAX // LARGE_BYTES + 5)]
    for key in keys:
        add(board.open(key), LARGE)
        board.close(key)
    return keys


def told(entries: list[Said]) -> str:
    """The words of these entries, as a viewer reads them."""
    events = [json.loads(each.begun + b'"}') for each in entries if each.type == PART]
    return "".join(event["part"]["text"] for event in events)


@proves("streaming", 2)
def test_parts_are_kept_in_order_and_counted_from_1(board: Board) -> None:
    episode = board.open(KEY)
    add(episode, "one", "two")

    parts = board.parts(KEY)
    assert [said.seq for said in episode.since(0)] == [1, 2]
    episode.since(0).clear()
    add(episode, "three")
    assert heard(board) == "onetwothree"
    assert parts == (Spoken(2, Role.ASSISTANT, Text(text="onetwo"), (3, 3)),)


def test_an_unknown_episode_has_said_nothing(board: Board) -> None:
    assert board.parts(KEY) == ()
    assert board.find(KEY) is None
    assert board.newest_spoken(KEY.chat_id, KEY.history) is None


def test_a_part_is_encoded_once_as_the_beginning_of_its_event(board: Board) -> None:
    episode = board.open(KEY)
    episode.add(Role.TOOL, Text(text='"quoted" \ud800'))

    (said,) = episode.since(0)
    event = json.loads(said.begun + b'rest"}')
    assert event == {
        "type": "message_part", "chat_id": "chat", "role": "tool",
        "part": {"type": "text", "text": '"quoted" \ud800'},
        "history_version": 7, "generation_attempt": 1, "seq": 1, "cursor": "1.rest",
    }  # fmt: skip


@proves("streaming", 4)
def test_a_full_episode_says_so_once_and_goes_on_in_silence(board: Board) -> None:
    episode = board.open(KEY)
    add(episode, "a" * (EPISODE_BYTES_MAX - 100))
    add(episode, *"x" * 200)

    said = episode.since(0)
    assert [each.type for each in said] == ["message_part"] * (len(said) - 1) + ["gap"]
    # What surrounds a word counts once for many of them.
    assert 50 < len(said) < 100
    assert len(heard(board)) == EPISODE_BYTES_MAX - 100 + len(said) - 2
    assert json.loads(said[-1].begun + b'"}') == {
        "type": "gap", "chat_id": "chat", "what": "preview", "cursor": f"{len(said)}.",
    }  # fmt: skip


def test_thirty_thousand_words_are_shown_to_the_end(board: Board) -> None:
    """171 kB: their events would be 6 MB."""
    words = [f"word{number % 10} " for number in range(30_000)]
    episode = board.open(KEY)
    add(episode, *words)

    assert told(episode.since(0)) == heard(board) == "".join(words)
    assert len(episode.since(0)) < 20


def test_a_reader_at_any_place_is_told_exactly_what_follows_it(board: Board) -> None:
    words = [f"{number}," for number in range(3 * NEWEST_PARTS)]
    episode = board.open(KEY)
    add(episode, *words)

    for place in range(len(words) + 1):
        assert told(episode.since(place)) == "".join(words[place:])
    episode.close()
    for place in range(len(words) + 1):
        assert told(episode.since(place)) == "".join(words[place:])


def test_only_adjacent_pieces_of_one_kind_are_one_part(board: Board) -> None:
    a, b = CallId("a"), CallId("b")
    parts: list[LivePart] = [
        Text(text="1"), Text(text="2"),
        Reasoning(text="3", created_at="then"), Reasoning(text="4", created_at="then"),
        Reasoning(text="5", created_at="later"),
        ToolCallPiece(tool_call_id=a, tool_name="t", args_delta="6"),
        ToolCallPiece(tool_call_id=a, tool_name="t", args_delta="7"),
        ToolCallPiece(tool_call_id=b, tool_name="t", args_delta="8"),
        ToolResultPiece(tool_call_id=a, tool_name="t", result_delta="9", result_reset=True),
        ToolResultPiece(tool_call_id=a, tool_name="t", result_delta="10"),
        ToolResultPiece(tool_call_id=a, tool_name="t", result_delta="11", result_reset=True),
        Source(source_id="s", url="u"), Source(source_id="s", url="u"),
    ]  # fmt: skip
    episode = board.open(KEY)
    for part in parts:
        episode.add(Role.ASSISTANT, part)

    whole = episode.spoken
    assert [(each.seq, each.lengths) for each in whole] == [
        (2, (1, 1)), (4, (1, 1)), (5, ()), (7, (1, 1)), (8, ()), (10, (1, 2)), (11, ()), (12, ()), (13, ()),
    ]  # fmt: skip
    assert whole[5].part == ToolResultPiece(
        tool_call_id=a, tool_name="t", result_delta="910", result_reset=True
    )
    # Half of what was begun anew does not begin anew once more.
    assert episode.spoken_since(9)[0] == Spoken(10, Role.ASSISTANT, parts[9])


def test_a_full_episode_is_counted_once(board: Board) -> None:
    before = REGISTRY.get_sample_value("chatd_stream_buffer_dropped_total") or 0

    add(board.open(KEY), *["a" * (EPISODE_BYTES_MAX // 2)] * 4)

    assert REGISTRY.get_sample_value("chatd_stream_buffer_dropped_total") == before + 1


@proves("streaming", 5)
def test_the_first_to_close_an_episode_wins(board: Board) -> None:
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
    started = clock.monotonic()
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
    assert heard(board) == "on"


@proves("streaming", 12)
async def test_closed_episodes_are_forgotten_after_a_while(board: Board, clock: MovedClock) -> None:
    reader = board.open(KEY)
    add(reader, "one")
    write_down(board)
    reader.close()
    await clock.advance(RETENTION_SECONDS - 1)
    board.open(OTHER).close()
    assert heard(board) == "one"

    await clock.advance(1)
    board.sweep()

    assert board.find(KEY) is None
    assert board.find(OTHER) is not None
    # A reader of it has the episode in hand.
    assert len(reader.since(0)) == 1


async def test_a_closed_episode_is_kept_until_the_part_log_has_it(board: Board, clock: MovedClock) -> None:
    """While the database is away, what was said is nowhere else."""
    add(board.open(KEY), "one")
    board.close(KEY)

    await clock.advance(2 * RETENTION_SECONDS)
    board.sweep()
    assert heard(board) == "one"

    failed = board.take_unlogged()
    board.sweep()
    board.put_back(failed)
    board.sweep()
    assert heard(board) == "one"

    write_down(board)
    board.sweep()
    assert board.find(KEY) is None


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
        assert told(episode.since(0)) == "word" * 5000
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


async def test_a_closed_episode_goes_after_its_time_although_the_clock_was_put_back(
    board: Board, clock: MovedClock
) -> None:
    board.open(KEY).close()
    clock.put_back(3600)

    await clock.advance(RETENTION_SECONDS)
    board.sweep()

    assert board.find(KEY) is None


def test_closed_episodes_hold_so_much_in_all_and_the_oldest_go_first(board: Board) -> None:
    """However quickly they come."""
    keys = close_many(board)

    assert [key for key in keys if board.find(key) is not None] == keys[-(CLOSED_BYTES_MAX // LARGE_BYTES) :]


def test_an_episode_that_is_open_is_kept_however_much_was_closed(board: Board) -> None:
    add(board.open(OTHER), "kept")
    close_many(board)

    assert heard(board, OTHER) == "kept"
