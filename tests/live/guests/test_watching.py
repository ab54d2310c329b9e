"""A guest who watches: what they are told while the agent works, and what of it tells of nothing else."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from chatd.domain.chat import RetryState
from chatd.domain.decision.change import Details
from chatd.domain.ids import BranchId, CallId, MessageId
from chatd.domain.message import Role
from chatd.domain.part import Reasoning, Text
from chatd.domain.people.links import Included, LineOfHistory
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.errors import NotFound
from chatd.kit.concurrency.bell import Bell
from chatd.kit.sealed_numbers import SealedNumbers
from chatd.live.episodes.board import NEWEST_PARTS
from chatd.live.episodes.episode import EpisodeKey, ToolCallPiece, ToolResultPiece
from chatd.live.events import Batch
from chatd.live.guests.sight import Sight
from chatd.live.guests.watch import OPENING_MESSAGES, watch_as_guest
from chatd.live.live import Live
from chatd.storage.reads.chunks import CHUNK_CHARACTERS_MAX
from chatd.storage.reads.shown import CHUNKS_MAX
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.live.listening import CHAT, told, types
from tests.traceability import proves
from tests.words import answers, call, create, failure, said, says, send, step, user

WORDS = frozenset[Included]()


class GuestWatcher:
    def __init__(self, store: Store, live: Live, sight: Sight | None = None) -> None:
        self.bell = Bell()
        seen = sight or Sight(WORDS, None, SealedNumbers("link"))
        self._batches: AsyncIterator[Batch] = watch_as_guest(
            store, live.board, live.clock, CHAT, seen, bell=self.bell
        )

    async def next(self) -> list[dict[str, Any]]:
        return told(await anext(self._batches))


@pytest.fixture
async def history(store: Store) -> int:
    """A chat in which the agent is about to speak; the version of its history."""
    await create_chat(store, create(user("hello")))
    done = await transact(store, CHAT, BeginAttempt())
    return done.chat.versions.history


def spoken(words: str) -> dict[str, Any]:
    return {"type": "message_part", "role": "assistant", "part": {"type": "text", "text": words}}


@proves("people", 30)
async def test_of_a_reply_a_guest_hears_the_words_and_not_that_there_is_more(
    store: Store, live: Live, history: int
) -> None:
    guest = GuestWatcher(store, live)
    assert types(await guest.next()) == ["chat", "message"]
    episode = live.board.open(EpisodeKey(CHAT, history, 1))

    episode.add(Role.ASSISTANT, Reasoning(text="What do they want?"))
    assert await guest.next() == []
    episode.add(Role.ASSISTANT, Text(text="Let me see."))
    assert await guest.next() == [spoken("Let me see.")]
    episode.add(
        Role.ASSISTANT, ToolCallPiece(tool_call_id=CallId("a"), tool_name="read_file", args_delta="{")
    )
    assert await guest.next() == []

    await transact(store, CHAT, step(says("Let me see.", call("a"))))
    saved, reset = await guest.next()
    assert (saved["type"], saved["message"]["content"]) == (
        "message",
        [{"type": "text", "text": "Let me see."}],
    )
    assert reset == {"type": "preview_reset"}
    await transact(store, CHAT, BeginAttempt())
    await guest.next()
    await transact(store, CHAT, step(answers("a")))
    assert await guest.next() == []


async def test_a_guest_whose_link_has_tools_sees_them_at_work(store: Store, live: Live, history: int) -> None:
    guest = GuestWatcher(store, live, Sight(frozenset({Included.TOOLS}), None, SealedNumbers("link")))
    await guest.next()
    episode = live.board.open(EpisodeKey(CHAT, history, 1))
    about: Any = {"tool_call_id": CallId("a"), "tool_name": "execute"}

    episode.add(Role.ASSISTANT, Reasoning(text="Hm."))
    episode.add(Role.ASSISTANT, ToolCallPiece(args_delta='{"a', **about))
    episode.add(Role.TOOL, ToolResultPiece(result_delta="10 %", **about))

    assert [each["part"] for each in await guest.next()] == [
        {"type": "tool-call", **about, "args_delta": '{"a'},
        {"type": "tool-result", **about, "result_delta": "10 %"},
    ]


async def test_a_guest_who_comes_late_hears_the_words_so_far_however_much_lies_between(
    store: Store, live: Live, history: int
) -> None:
    episode = live.board.open(EpisodeKey(CHAT, history, 1))
    for _ in range(3 * NEWEST_PARTS):
        episode.add(Role.ASSISTANT, Reasoning(text="hm "))
    episode.add(Role.ASSISTANT, Text(text="Hi"))

    assert (await GuestWatcher(store, live).next())[-1] == spoken("Hi")


async def test_nothing_is_told_of_the_queue_the_status_retries_and_failures(
    store: Store, live: Live, history: int
) -> None:
    guest = GuestWatcher(store, live)
    await guest.next()

    await transact(store, CHAT, send("later"))
    assert await guest.next() == []
    retry = RetryState(attempt=1, delay_ms=1000, error="busy", kind="overloaded", retrying_at="soon")
    await transact(store, CHAT, RecordRetry(retry=retry))
    assert await guest.next() == []
    await transact(store, CHAT, FailTurn(failure=failure()))
    told_of_failure = await guest.next()
    # The message that began the turn tells its end to others; guests are told the same words again.
    assert [each["message"]["content"] for each in told_of_failure] == [[{"type": "text", "text": "hello"}]]


async def test_a_reply_that_is_said_anew_replaces_what_was_heard(
    store: Store, live: Live, history: int
) -> None:
    guest = GuestWatcher(store, live)
    await guest.next()
    live.board.open(EpisodeKey(CHAT, history, 1)).add(Role.ASSISTANT, Text(text="Half"))
    assert await guest.next() == [spoken("Half")]
    await transact(store, CHAT, BeginAttempt())
    await guest.next()

    live.board.open(EpisodeKey(CHAT, history, 2)).add(Role.ASSISTANT, Text(text="Whole"))

    assert await guest.next() == [{"type": "preview_reset"}, spoken("Whole")]


async def test_a_history_that_is_rewritten_is_told_anew(store: Store, live: Live, history: int) -> None:
    guest = GuestWatcher(store, live)
    await guest.next()
    await transact(store, CHAT, step(says("hi")), FinishTurn())
    await guest.next()

    await transact(store, CHAT, EditMessage(message_id=MessageId(1), content=said("rather this")))

    events = await guest.next()
    assert types(events) == ["gap", "chat", "message"]
    assert events[-1]["message"]["content"] == [{"type": "text", "text": "rather this"}]


async def test_what_is_rewritten_beyond_the_end_of_a_link_is_not_told(
    store: Store, live: Live, history: int
) -> None:
    line = LineOfHistory(((BranchId(1), MessageId(99)),), MessageId(1))
    guest = GuestWatcher(store, live, Sight(WORDS, line, SealedNumbers("link")))
    assert types(await guest.next()) == ["chat", "message"]
    await transact(store, CHAT, step(says("hi")), FinishTurn())
    await guest.next()
    await transact(store, CHAT, send("more"))
    await guest.next()

    await transact(store, CHAT, EditMessage(message_id=MessageId(3), content=said("less")))

    assert await guest.next() == []


async def test_a_new_title_is_told_and_a_label_is_not(store: Store, live: Live, history: int) -> None:
    guest = GuestWatcher(store, live)
    await guest.next()

    await transact(store, CHAT, DescribeChat(details=Details(labels={"team": "a"})))
    assert await guest.next() == []
    await transact(store, CHAT, DescribeChat(details=Details(title="Moons")))
    assert await guest.next() == [{"type": "chat", "chat": {"title": "Moons"}}]


async def test_a_chat_that_is_deleted_ends_it(store: Store, live: Live, history: int) -> None:
    guest = GuestWatcher(store, live)
    await guest.next()
    await delete_chat(store, CHAT)

    with pytest.raises(NotFound):
        await guest.next()
    with pytest.raises(NotFound):
        await GuestWatcher(store, live).next()


@pytest.mark.parametrize("characters", [1, CHUNK_CHARACTERS_MAX // 2])
async def test_how_much_is_hidden_does_not_tell_in_what_a_guest_is_told_first(
    store: Store, live: Live, history: int, characters: int
) -> None:
    """Between the words there is little, or a lot."""
    for number in range(3):
        await transact(store, CHAT, step(says(f"{number}", call(f"{number}"))))
        await transact(store, CHAT, step(answers(f"{number}", "x" * characters)))

    events = await GuestWatcher(store, live).next()

    assert types(events) == ["chat", *["message"] * 4]


async def test_beyond_a_bound_a_guest_is_told_where_to_ask_on(store: Store, live: Live, history: int) -> None:
    await transact(store, CHAT, step(says("last words")))
    for number in range(2 * CHUNKS_MAX):
        await transact(store, CHAT, step(says("", call(f"{number}"))))
        await transact(store, CHAT, step(answers(f"{number}", "x" * CHUNK_CHARACTERS_MAX)))

    events = await GuestWatcher(store, live).next()

    assert types(events)[:2] == ["chat", "older_messages"]
    assert len(events) < OPENING_MESSAGES
