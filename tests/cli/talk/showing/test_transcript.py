"""What a terminal shows of a chat: every word once, whatever order it comes in."""

from typing import Any

import msgspec

from chatd.cli.talk.showing.transcript import CUT_OFF, GOES_ON, PAUSED, Transcript
from chatd.client.answers import Awaited, Children, Message, Part, Queued, WaitingChild
from chatd.client.events import (
    ChatGone,
    ChildrenChanged,
    Event,
    Gap,
    MessageSaved,
    PartSpoken,
    PreviewPaused,
    PreviewReset,
    QueueUpdated,
    RetryPending,
    StatusChanged,
    TurnFailed,
    WaitingForChanged,
)


def text(words: str) -> Part:
    return Part(type="text", text=words)


def thought(words: str) -> Part:
    return Part(type="reasoning", text=words)


def spoken(part: Part, role: str = "assistant") -> Event:
    return PartSpoken(role=role, part=part)


def saved(*content: Part, role: str = "assistant", id: int = 1) -> Event:
    return MessageSaved(message=Message(id=id, role=role, content=content, created_at=""))


def shown(transcript: Transcript, *events: Event) -> list[str]:
    """The lines on the screen, each with its tone."""
    screen = ""
    for piece in (piece for event in events for piece in transcript.pieces_of(event) if piece.text):
        begins_line = not screen or screen.endswith("\n")
        screen += (f"{piece.tone}: " if begins_line and piece.text != "\n" else "") + piece.text.replace(
            "\n", f"\n{piece.tone}: "
        ).removesuffix(f"{piece.tone}: ")
    return screen.removesuffix("\n").split("\n")


def call(id: str, name: str = "read_file", **args: str) -> Part:
    return Part(type="tool-call", tool_call_id=id, tool_name=name, args=args)


def result(id: str, value: Any, name: str = "read_file", *, is_error: bool = False) -> Part:
    return Part(type="tool-result", tool_call_id=id, tool_name=name, result=value, is_error=is_error)


def test_what_an_agent_that_works_for_the_chat_needs_is_shown_once() -> None:
    waits = Awaited(tool_call_id="a", message_id=2, tool_name="execute", kind="approval", args={"c": "ls"})
    child = WaitingChild(chat_id="c-1", title="Fix tests", waiting_for=(waits,))
    event = ChildrenChanged(children=Children(count=2, at_work=1, waiting=(child,)))
    transcript = Transcript()

    assert shown(transcript, event, event) == [
        """note: 'Fix tests', which works for this chat, waits for your approval for execute {"c":"ls"}""",
        "note: `chatd chat c-1` answers.",
    ]
    # Answered and asked again is news.
    done = ChildrenChanged(children=Children(count=2, at_work=2))
    assert len(shown(transcript, done, event)) == 2


def test_advice_is_shown_as_words_and_not_again_when_it_came_live() -> None:
    advice = {"type": "advice", "advice": "Look at a.py\nfirst.", "advisor_model": "p/m"}
    asked, told = call("a", "advisor"), result("a", advice, "advisor")
    came = Part(type="tool-result", tool_call_id="a", tool_name="advisor", result_delta="Look at a.py")

    assert shown(Transcript(), saved(asked), saved(told, role="tool", id=2)) == [
        "call: ⏺ Ask the advisor: ",
        "tool:   ✓ Look at a.py",
        "tool: first.",
    ]
    assert shown(Transcript(), saved(asked), spoken(came, "tool"), saved(told, role="tool", id=2)) == [
        "call: ⏺ Ask the advisor: ",
        "tool: Look at a.py",
        "tool:   ✓ by p/m",
    ]


def test_a_reply_is_shown_as_it_comes_and_only_once() -> None:
    transcript = Transcript()

    words = [
        [piece.text for piece in transcript.pieces_of(event) if piece.text]
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
        Transcript(), spoken(text("Mars")), QueueUpdated(queued_messages=(row,)), spoken(text(" ")),
        spoken(text("is red.")), saved(text("Mars is red.")),
    )  # fmt: skip

    assert lines == ["text: Mars", "note: Waits: later", "text: is red."]


def test_a_reply_that_is_not_whole_says_so() -> None:
    half = Message(id=1, role="assistant", content=(text("Once upon a"),), created_at="", cut_off=True)

    assert shown(Transcript(), MessageSaved(message=half)) == ["text: Once upon a", f"note: {CUT_OFF}"]


def test_what_was_not_heard_live_is_shown_when_it_is_saved() -> None:
    transcript = Transcript()

    assert shown(transcript, spoken(text("Ma")), saved(text("Mars is\nred."))) == [
        "text: Mars is",
        "text: red.",
    ]


def test_a_reply_without_previewed_parts_is_shown_whole() -> None:
    assert shown(Transcript(), saved(thought("hm"), text("Mars."))) == ["reasoning: hm", "text: Mars."]


def test_reasoning_comes_before_what_is_said_and_is_not_repeated() -> None:
    transcript = Transcript()

    lines = shown(
        transcript, spoken(thought("let me")), spoken(thought(" see")), spoken(text("Mars.")),
        saved(thought("let me see"), text("Mars.")),
    )  # fmt: skip

    assert lines == ["reasoning: let me see", "text: Mars."]


def test_another_attempt_is_shown_anew() -> None:
    transcript = Transcript()

    lines = shown(
        transcript, spoken(text("Ju")), PreviewReset(), spoken(text("Saturn")), saved(text("Saturn."))
    )

    assert lines == ["text: Ju", "text: Saturn."]


def test_after_a_gap_the_saved_message_is_shown_whole() -> None:
    transcript = Transcript()

    assert shown(transcript, spoken(text("Ma")), Gap(what="preview"), saved(text("Mars."))) == [
        "text: Ma",
        "text: Mars.",
    ]


def test_a_message_that_comes_again_is_not_shown_again() -> None:
    transcript = Transcript()

    assert shown(transcript, saved(text("Mars.")), saved(text("Mars."))) == ["text: Mars."]


def test_tools_are_shown_as_they_run() -> None:
    piece = Part(type="tool-result", tool_call_id="c", tool_name="read_file", result_delta="star 1\nsta")
    read, broken = result("c", "star 1\nstar 2"), result("d", "no such file", is_error=True)
    read = msgspec.structs.replace(read, duration_ms=61_400)

    lines = shown(
        Transcript(), saved(text("Let me see."), call("c", path="sky")), PreviewReset(),
        spoken(piece, "tool"), spoken(read, "tool"), saved(read, role="tool", id=2),
        saved(broken, role="tool", id=3), PreviewReset(),
    )  # fmt: skip

    assert lines == [
        "text: Let me see.",
        "call: ⏺ Read sky",
        "tool: star 1",
        "tool: sta",
        "tool:   ✓ star 1 star 2 (61 s)",
        "error:   ✗ read_file: no such file",
    ]


def test_a_file_that_a_tool_attached_is_named_once() -> None:
    done, file = (
        result("c", "ok"),
        Part(type="file", file_id="f", name="plan\x1b.md", media_type="text/markdown"),
    )

    lines = shown(
        Transcript(), spoken(done, "tool"), spoken(file, "tool"), saved(done, file, role="tool", id=2),
    )  # fmt: skip

    assert lines == ["tool:   ✓ read_file: ok", "tool: + plan .md (text/markdown)"]


def test_a_source_is_named_once_for_each_reply() -> None:
    moons = Part(type="source", source_id="1", url="https://example.org/moons\x1b[2J", title="Moons")
    bare = Part(type="source", source_id="2", url="https://example.org/rings")

    lines = shown(
        Transcript(), spoken(moons), saved(moons, moons, bare, id=2), saved(moons, id=3),
    )  # fmt: skip

    first = "tool: → Moons https://example.org/moons [2J"
    assert lines == [first, "tool: → https://example.org/rings", first]


SEARCHED = (text("Let me look."), call("s", "web_search", query="moons"), result("s", "two", "web_search"))
SEARCH_SHOWN = [
    "text: Let me look.",
    'call: ⏺ web_search {"query":"moons"}',
    "tool:   ✓ two",
    "text: Two of them.",
]


def test_calls_and_words_are_shown_in_the_order_in_which_they_happened() -> None:
    live = [*map(spoken, SEARCHED), spoken(text("Two of")), spoken(text(" them."))]
    whole = saved(*SEARCHED, text("Two of them."))

    assert shown(Transcript(), *live, whole, PreviewReset()) == SEARCH_SHOWN
    assert shown(Transcript(), whole) == SEARCH_SHOWN
    assert shown(Transcript(), *live[:2], whole, PreviewReset()) == SEARCH_SHOWN


def test_arguments_that_are_still_being_written_are_not_shown() -> None:
    piece = Part(type="tool-call", tool_call_id="s", tool_name="web_search", args_delta='{"qu')

    assert shown(Transcript(), spoken(piece), *map(spoken, SEARCHED)) == SEARCH_SHOWN[:3]


def test_tools_that_speak_at_the_same_time_have_lines_of_their_own() -> None:
    def piece(id: str, words: str, *, anew: bool = False) -> Event:
        part = Part(type="tool-result", tool_call_id=id, tool_name="t", result_delta=words, result_reset=anew)
        return spoken(part, "tool")

    lines = shown(Transcript(), piece("a", "1"), piece("a", "2"), piece("b", "x"), piece("b", "y", anew=True))

    assert lines == ["tool: 12", "tool: x", "tool: y"]


def test_what_goes_wrong_and_what_waits_is_told() -> None:
    row = Queued(id=2, content=(text("later"),), created_at="")
    transcript = Transcript()

    lines = shown(
        transcript,
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

    assert shown(Transcript(), *events) == [
        "text: So it",
        f"note: {PAUSED}",
        f"note: {GOES_ON}",
        "text: goes on.",
    ]


def test_what_a_person_is_asked_is_told() -> None:
    def awaited(kind: str, args: Any) -> Awaited:
        return Awaited(tool_call_id="c", tool_name="run", kind=kind, args=args)

    transcript = Transcript()
    waiting = (awaited("approval", {"command": "rm"}), awaited("answer", "Which?"), awaited("result", None))

    assert shown(transcript, WaitingForChanged(waiting_for=waiting)) == [
        "note: May the agent run run?",
        'note:     {"command":"rm"}',
        "note:   y  allow it this time",
        "note:   n  do not; what you write behind it is told to the agent",
        "note: The agent asks: Which?",
        "note: The agent waits for a client to run run.",
    ]
    assert transcript.waiting_for == waiting


def test_the_status_says_whether_the_agent_is_busy() -> None:
    transcript = Transcript()

    for status, busy in (("running", True), ("interrupting", True), ("waiting", False), ("error", False)):
        shown(transcript, StatusChanged(status=status))
        assert transcript.busy is busy


def test_nothing_that_is_said_can_command_the_terminal() -> None:
    transcript = Transcript()

    lines = shown(
        transcript,
        spoken(text("\x1b[2Jred\x07\u202e\r\n")),
        saved(text("a\x9b31m\tb"), role="user", id=7),
    )

    assert lines == ["text: [2Jred", "user: > a31m\tb"]
