"""What a terminal shows of a chat: every word once, whatever order it comes in."""

import msgspec

from chatd.cli.talk.showing.news import GOES_ON, PAUSED
from chatd.cli.talk.showing.pieces import VOID
from chatd.cli.talk.showing.transcript import CUT_OFF, OWN_LINES_MAX
from chatd.client.answers import Message, Participant, Queued
from chatd.client.events import (
    ChatGone,
    Gap,
    MessageSaved,
    ParticipantsNamed,
    PreviewPaused,
    PreviewReset,
    QueueUpdated,
    RetryPending,
    StatusChanged,
    TurnFailed,
)
from tests.cli.talk.showing.words import in_pipe, on_screen, saved, shown, spoken, text, thought


def test_a_reply_is_shown_as_it_comes_and_only_once() -> None:
    view = in_pipe()

    words = [
        [piece.text for piece in view.pieces_of(event) if piece.text]
        for event in (
            spoken(text("Mars is\nre")),
            spoken(text("d.")),
            saved(text("Mars is\nred.")),
            PreviewReset(),
        )
    ]

    assert words == [["Mars is\nre"], ["d."], ["\n"], []]


def test_words_go_on_after_a_note_without_the_blank_between_them() -> None:
    row = Queued(id=2, content=(text("later"),), created_at="")

    lines = shown(
        in_pipe(), spoken(text("Mars")), QueueUpdated(queued_messages=(row,)), spoken(text(" ")),
        spoken(text("is red.")), saved(text("Mars is red.")),
    )  # fmt: skip

    assert lines == ["text: Mars", "note: Waits: later", "text: is red."]


def test_where_several_people_write_each_message_has_a_name() -> None:
    anna = Participant(id="a", name="anna", display_name="Anna\x1b[2J Nowak")
    first = Message(id=1, role="user", content=(text("hello\nthere"),), created_at="", created_by="a")
    waiting = Queued(id=2, content=(text("and"),), created_at="", created_by="a")

    named = shown(
        in_pipe(), ParticipantsNamed(participants=(anna,)), MessageSaved(message=first),
        QueueUpdated(queued_messages=(waiting,)),
    )  # fmt: skip
    alone = shown(in_pipe(), MessageSaved(message=first))

    assert named == ["user: Anna [2J Nowak> hello", "user: > there", "note: Waits: Anna [2J Nowak> and"]
    assert alone == ["user: > hello", "user: > there"]


def test_a_reply_that_is_not_whole_says_so() -> None:
    half = Message(id=1, role="assistant", content=(text("Once upon a"),), created_at="", cut_off=True)

    assert shown(in_pipe(), MessageSaved(message=half)) == ["text: Once upon a", f"note: {CUT_OFF}"]


def test_what_was_not_heard_live_is_shown_when_it_is_saved() -> None:
    view = in_pipe()

    assert shown(view, spoken(text("Ma")), saved(text("Mars is\nred."))) == [
        "text: Mars is",
        "text: red.",
    ]


def test_a_reply_without_previewed_parts_is_shown_whole() -> None:
    assert shown(in_pipe(), saved(thought("hm"), text("Mars."))) == ["reasoning: hm", "text: Mars."]


def test_reasoning_comes_before_what_is_said_and_is_not_repeated() -> None:
    view = in_pipe()

    lines = shown(
        view, spoken(thought("let me")), spoken(thought(" see")), spoken(text("Mars.")),
        saved(thought("let me see"), text("Mars.")),
    )  # fmt: skip

    assert lines == ["reasoning: let me see", "text: Mars."]


def test_another_attempt_is_shown_anew() -> None:
    view = in_pipe()

    lines = shown(view, spoken(text("Ju")), PreviewReset(), spoken(text("Saturn")), saved(text("Saturn.")))

    assert lines == ["text: Ju", "text: Saturn."]


def test_after_a_gap_the_rest_is_shown_when_it_is_saved() -> None:
    heard = [spoken(text("Ma")), Gap(what="preview")]

    assert shown(in_pipe(), *heard, saved(text("Mars."))) == ["text: Mars."]


def test_a_message_that_comes_again_is_not_shown_again() -> None:
    view = in_pipe()

    assert shown(view, saved(text("Mars.")), saved(text("Mars."))) == ["text: Mars."]


def test_what_goes_wrong_and_what_waits_is_told() -> None:
    row = Queued(id=2, content=(text("later"),), created_at="")
    view = in_pipe()

    lines = shown(
        view,
        QueueUpdated(queued_messages=(row,)),
        QueueUpdated(queued_messages=(row, msgspec.structs.replace(row, id=3, content=(text("more"),)))),
        RetryPending(attempt=1, delay_ms=4000, error="busy"),
        TurnFailed(message="The model is gone."),
        ChatGone(),
    )

    assert lines == [
        "note: Waits: later",
        "note: Waits: more",
        "note: Attempt 1 failed (busy); again in 4 s.",
        "error: The agent failed: The model is gone.  (/retry tries again)",
        "error: The chat was deleted.",
    ]


def test_that_words_may_come_late_is_told_and_when_that_is_over_and_the_line_goes_on() -> None:
    events = [
        spoken(text("So it")),
        *[PreviewPaused(paused=True)] * 2,
        PreviewPaused(),
        spoken(text(" goes on.")),
        saved(text("So it goes on.")),
    ]

    assert shown(in_pipe(), *events) == [
        "text: So it",
        f"note: {PAUSED}",
        f"note: {GOES_ON}",
        "text: goes on.",
    ]


def test_the_status_says_whether_the_agent_is_busy() -> None:
    view = in_pipe()

    for status, busy in (("running", True), ("interrupting", True), ("waiting", False), ("error", False)):
        shown(view, StatusChanged(status=status))
        assert view.is_busy is busy


def test_nothing_that_is_said_can_command_the_terminal() -> None:
    view = in_pipe()

    lines = shown(
        view,
        spoken(text("\x1b[2Jred\x07\u202e\r\n")),
        saved(text("a\x9b31m\tb"), role="user", id=7),
    )

    assert lines == ["text: [2Jred", "user: > a31m\tb"]


def test_what_was_half_said_is_void_when_it_is_said_anew_and_not_when_it_was_saved() -> None:
    def voids(*events: object) -> bool:
        view = on_screen()
        return VOID in [piece for event in events for piece in view.pieces_of(event)]  # type: ignore[arg-type]

    assert voids(spoken(text("Ju")), PreviewReset())
    assert voids(spoken(text("Ju")), saved(text("Saturn")))
    assert not voids(spoken(text("Sa")), saved(text("Saturn")), PreviewReset())


def test_of_a_long_message_of_their_own_a_person_at_a_screen_sees_the_beginning() -> None:
    own = saved(text("\n".join(f"line {number}" for number in range(200))), role="user")

    assert shown(on_screen(), own)[OWN_LINES_MAX - 1 :] == [
        f"user: > line {OWN_LINES_MAX - 1}",
        f"user: > … {200 - OWN_LINES_MAX} more lines",
    ]
    assert len(shown(in_pipe(), own)) == 200
