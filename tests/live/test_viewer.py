"""A viewer's picture: snapshots and parts in, events out."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Role
from chatd.domain.part import Text
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.hints.hint import chat_changed
from chatd.kit.codec import encode
from chatd.live import events as live_events
from chatd.live.cursor import Known, cursor_of, known_at
from chatd.live.episodes.board import Board
from chatd.live.episodes.episode import EpisodeKey, Said
from chatd.live.events import Batch, ViewerEvent
from chatd.live.viewer import Viewer
from tests import words
from tests.clock import MovedClock
from tests.domain.chats import asking, failed, idle, running
from tests.live.listening import CHAT, told, types
from tests.live.seeing import snapshot_of
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import CLIENT_TOOL, asks_first, call, client_call, failure, retry, said, says, send, step


def see(viewer: Viewer, model: ModelChat) -> list[dict[str, Any]]:
    return told(Batch(tuple(viewer.see(snapshot_of(model, viewer.known)))))


def hear(viewer: Viewer, entries: list[Said]) -> list[dict[str, Any]]:
    return told(viewer.hear(entries))


def spoken(history: int, *words: str, attempt: int = 1) -> list[Said]:
    episode = Board(MovedClock()).open(EpisodeKey(CHAT, history, attempt))
    for word in words:
        episode.add(Role.ASSISTANT, Text(text=word))
    return episode.since(0)


def looking_at(model: ModelChat) -> Viewer:
    """A viewer who has seen everything."""
    viewer = Viewer(CHAT)
    see(viewer, model)
    return viewer


@proves("streaming", 29)
def test_who_begins_is_told_everything_in_order() -> None:
    events = see(Viewer(CHAT), running())

    assert types(events) == ["chat", "message", "status", "preview_reset"]
    assert [event["chat_id"] for event in events] == ["chat"] * 4


@proves("streaming", 16)
def test_old_news_is_no_news() -> None:
    model = running()
    old = snapshot_of(model)
    viewer = looking_at(model)
    model.tell(send("later"))
    see(viewer, model)

    assert viewer.see(old) == []
    assert see(viewer, model) == []
    assert not viewer.wants(chat_changed(old.chat))


@proves("streaming", 18)
def test_a_hint_is_followed_exactly_when_its_snapshot_is_newer() -> None:
    model = running()
    viewer = looking_at(model)
    assert not viewer.wants(chat_changed(model.chat))
    for command in (BeginAttempt(), RecordRetry(retry=retry()), send("later"), Interrupt()):
        model.tell(command)
        assert viewer.wants(chat_changed(model.chat))
        see(viewer, model)
        assert not viewer.wants(chat_changed(model.chat))


@proves("streaming", 22)
def test_what_changed_at_once_is_told_in_the_order_of_the_contract() -> None:
    model = running()
    viewer = looking_at(model)
    model.tell(send("later"))
    model.tell(FailTurn(failure=failure("gone")))

    told = types(see(viewer, model))
    assert told == ["message", "queue_update", "status", "error", "preview_reset"]

    fresh = running("later")
    fresh.tell(BeginAttempt())
    fresh.tell(RecordRetry(retry=retry()))
    begun = types(see(Viewer(CHAT), fresh))
    assert begun == ["chat", "message", "queue_update", "status", "retry", "preview_reset"]


@proves("streaming", 23, 24)
def test_a_chat_that_waits_tells_for_what_and_nothing_else() -> None:
    model = asking(call("local"), client_call("tab"), call("risky"), plans=(asks_first("risky"),))
    events = see(Viewer(CHAT), model)

    assert types(events)[-3:] == ["status", "waiting_for", "preview_reset"]
    assert [(each["tool_call_id"], each["kind"]) for each in events[-2]["waiting_for"]] == [
        ("tab", "result"), ("risky", "approval"),
    ]  # fmt: skip
    assert events[-2]["waiting_for"][0]["tool_name"] == CLIENT_TOOL


def test_what_is_waited_for_no_longer_is_taken_back() -> None:
    model = asking()
    viewer = looking_at(model)
    model.tell(Interrupt())

    waiting = [event for event in see(viewer, model) if event["type"] == "waiting_for"]
    assert [event["waiting_for"] for event in waiting] == [[]]


@proves("streaming", 25)
def test_a_failure_is_told_once() -> None:
    model = failed()
    viewer = Viewer(CHAT)
    assert types(see(viewer, model)).count("error") == 1
    model.tell(send("next"))
    model.tell(FailTurn(failure=failure("again")))

    events = see(viewer, model)
    assert [event["message"] for event in events if event["type"] == "error"] == ["again"]


def test_the_same_failure_after_a_retry_is_told_again() -> None:
    model = failed()
    viewer = looking_at(model)
    model.tell(RetryTurn())
    model.tell(FailTurn(failure=failure()))

    assert types(see(viewer, model)) == ["message", "error", "preview_reset"]


def test_a_retry_that_is_over_is_taken_back() -> None:
    model = running()
    model.tell(RecordRetry(retry=retry()))
    viewer = looking_at(model)
    model.tell(BeginAttempt())

    assert types(see(viewer, model)) == ["retry_over"]


def test_only_what_comes_next_is_heard() -> None:
    model = running()
    viewer = looking_at(model)
    history = model.chat.versions.history
    entries = spoken(history, *"abcdef", attempt=2)

    assert types(hear(viewer, entries[:2])) == ["message_part"] * 2
    assert hear(viewer, entries[:2]) == []
    assert [e["seq"] for e in hear(viewer, entries[1:3])] == [3]
    assert hear(viewer, entries[4:]) == []
    assert [e["seq"] for e in hear(viewer, [*entries[3:4], *entries[5:]])] == [4]
    assert hear(viewer, spoken(history, "older", attempt=1)) == []
    assert hear(viewer, spoken(history - 1, *"abcdefg", attempt=2)) == []
    assert hear(viewer, spoken(history + 1, *"abcdefg", attempt=2)) == []
    assert [e["seq"] for e in hear(viewer, entries)] == [5, 6]


def test_what_a_broken_off_attempt_said_stays_until_the_next_one_speaks() -> None:
    model = running()
    model.tell(BeginAttempt())
    viewer = looking_at(model)
    history = model.chat.versions.history
    hear(viewer, spoken(history, "half", "a"))
    model.tell(RecordRetry(retry=retry()))
    model.tell(BeginAttempt())

    assert "preview_reset" not in types(see(viewer, model))
    assert types(hear(viewer, spoken(history, "whole", attempt=2))) == ["preview_reset", "message_part"]
    assert hear(viewer, spoken(history, *"late", attempt=1)) == []


def test_nothing_is_previewed_while_no_agent_speaks() -> None:
    model = failed()

    assert hear(looking_at(model), spoken(model.chat.versions.history, "left over")) == []


def test_an_edit_is_told_as_tombstones() -> None:
    model = idle()
    model.tell(send("more"))
    model.tell(BeginAttempt())
    viewer = looking_at(model)
    abandoned = spoken(model.chat.versions.history, "never", "finished")
    hear(viewer, abandoned[:1])
    model.tell(EditMessage(message_id=MessageId(1), content=said("hello again")))

    events = see(viewer, model)
    assert types(events) == ["chat", *["message_deleted"] * 3, "message", "preview_reset"]
    assert [event["message_id"] for event in events[1:4]] == [1, 2, 3]
    assert hear(viewer, abandoned) == []


@proves("api", 39)
@proves("streaming", 48)
def test_nothing_internal_is_told() -> None:
    model = running()
    model.tell(step(msgspec.structs.replace(says("hi"), internal={"secret": 1})))
    viewer = Viewer(CHAT)
    board = Board(MovedClock())
    episode = board.open(EpisodeKey(CHAT, model.chat.versions.history, 1))
    episode.add(Role.ASSISTANT, Text(text="more"))

    heard = json.dumps([*see(viewer, model), *hear(viewer, episode.since(0))])
    assert "more" in heard
    assert "secret" not in heard


def story() -> tuple[ModelChat, list[Said]]:
    """A chat with a bit of everything, in which somebody speaks."""
    model = idle()
    model.tell(send("more"))
    model.tell(step(says("let me see", call("a"))))
    model.tell(EditMessage(message_id=MessageId(3), content=said("rather this")))
    model.tell(send("later"))
    model.tell(BeginAttempt())
    return model, spoken(model.chat.versions.history, *"abc")


@pytest.mark.parametrize("before", range(3))
def test_any_cursor_continues_exactly(before: int) -> None:
    """With the cursor of any event one is told what followed it: as if the connection had held."""
    model, entries = story()
    viewer = Viewer(CHAT)
    if before:
        see(viewer, [running(), idle()][before - 1])
    whole = [*see(viewer, model), *hear(viewer, entries)]

    assert len(whole) > 5
    for number, event in enumerate(whole, 1):
        back = Viewer.at(CHAT, event["cursor"])
        assert back.fits(snapshot_of(model))
        rest = [*see(back, model), *hear(back, entries)]
        # Whoever left in the middle of their first look is told also of what they never saw.
        assert [each for each in rest if before or each["type"] != "message_deleted"] == whole[number:]


def test_a_cursor_is_short_and_plain() -> None:
    known = Known(**dict.fromkeys(Known.__struct_fields__, 12345678901))
    cursor = cursor_of(CHAT, known)

    assert known_at(CHAT, cursor) == known
    assert cursor.replace(".", "").isdecimal()
    assert len(cursor) < 200


@pytest.mark.parametrize(
    "cursor",
    ["", "nonsense", "1.2.3", "-1" + ".0" * 13, "9" * 19 + ".0" * 13, "\u0661" + ".0" * 13, "1" * 10_000],
)
def test_a_strange_cursor_begins_anew_and_says_so(cursor: str) -> None:
    assert known_at(CHAT, cursor) is None
    events = see(Viewer.at(CHAT, cursor), running())
    assert types(events) == ["gap", "chat", "message", "status", "preview_reset"]
    assert events[0]["what"] == "history"


def test_the_cursor_of_another_chat_is_strange() -> None:
    assert known_at(CHAT, cursor_of(ChatId("other"), Known())) is None


def test_a_cursor_from_the_future_does_not_fit() -> None:
    model = running()
    viewer = Viewer(CHAT, Known(history=99))
    assert not viewer.fits(snapshot_of(model))

    viewer.begin_anew()
    assert types(see(viewer, model))[0] == "gap"


GOLDEN = Path(__file__).parent / "golden" / "events.json"


def test_events_look_as_they_did_when_they_were_first_sent() -> None:
    """Rules for change: add optional fields; never reuse a tag. A new event gets its line in the file."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    decoder = msgspec.json.Decoder(live_events.ViewerEvent)
    tags = {each.__struct_config__.tag for each in live_events.ViewerEvent.__args__}

    assert {event["type"] for event in golden} == tags
    for event in golden:
        decoded: ViewerEvent = decoder.decode(json.dumps(event))
        assert json.loads(encode(decoded)) == event


@proves("workspaces", 29)
def test_a_viewer_is_told_when_the_workspace_has_changed_and_when_that_is_over() -> None:
    model = running()
    model.tell(PinContext(context=words.told()))
    viewer = looking_at(model)

    model.tell(NoteContext(hash="other", over=model.chat.pin_version))
    (event,) = see(viewer, model)
    assert (event["type"], "context_dirty_since" in event["chat"]) == ("chat", True)

    model.tell(PinContext(context=words.told("other")))
    (event,) = see(viewer, model)
    assert (event["type"], "context_dirty_since" in event["chat"]) == ("chat", False)
