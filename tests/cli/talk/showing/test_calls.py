"""Calls in a terminal: as they come in a pipe, and on a screen as a block when they are done."""

import msgspec
import pytest

from chatd.cli.talk.showing.calls.calls import OUTPUT_LINES_MAX
from chatd.client.answers import ApprovalRequest, Part
from chatd.client.events import PreviewReset, StatusChanged, WaitingForChanged
from tests.cli.talk.showing.words import (
    Clock,
    awaited,
    call,
    in_pipe,
    lasting,
    on_screen,
    prints,
    result,
    saved,
    shown,
    spoken,
    text,
)

RUN = call("c", "execute", command="make test")
RAN = result("c", {"exit_code": 0, "output": "one\ntwo\n"}, "execute")
CHANGED = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"


def test_tools_are_shown_as_they_run() -> None:
    read, broken = result("c", "star 1\nstar 2"), result("d", "no such file", is_error=True)
    read = msgspec.structs.replace(read, duration_ms=61_400)

    lines = shown(
        in_pipe(), saved(text("Let me see."), call("c", path="sky")), PreviewReset(),
        prints("c", "star 1\nsta"), spoken(read, "tool"), saved(read, role="tool", id=2),
        saved(broken, role="tool", id=3), PreviewReset(),
    )  # fmt: skip

    assert lines == [
        "text: Let me see.",
        "call: ● Read sky",
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
        in_pipe(), spoken(done, "tool"), spoken(file, "tool"), saved(done, file, role="tool", id=2),
    )  # fmt: skip

    assert lines == ["tool:   ✓ read_file: ok", "tool: + plan .md (text/markdown)"]


def test_a_source_is_named_once_for_each_reply() -> None:
    moons = Part(type="source", source_id="1", url="https://example.org/moons\x1b[2J", title="Moons")
    bare = Part(type="source", source_id="2", url="https://example.org/rings")

    lines = shown(
        in_pipe(), spoken(moons), saved(moons, moons, bare, id=2), saved(moons, id=3),
    )  # fmt: skip

    first = "tool: → Moons https://example.org/moons [2J"
    assert lines == [first, "tool: → https://example.org/rings", first]


SEARCHED = (text("Let me look."), call("s", "web_search", query="moons"), result("s", "two", "web_search"))
SEARCH_SHOWN = [
    "text: Let me look.",
    'call: ● web_search {"query":"moons"}',
    "tool:   ✓ two",
    "text: Two of them.",
]


def test_calls_and_words_are_shown_in_the_order_in_which_they_happened() -> None:
    live = [*map(spoken, SEARCHED), spoken(text("Two of")), spoken(text(" them."))]
    whole = saved(*SEARCHED, text("Two of them."))

    assert shown(in_pipe(), *live, whole, PreviewReset()) == SEARCH_SHOWN
    assert shown(in_pipe(), whole) == SEARCH_SHOWN
    assert shown(in_pipe(), *live[:2], whole, PreviewReset()) == SEARCH_SHOWN


def test_arguments_that_are_still_being_written_are_not_shown() -> None:
    piece = Part(type="tool-call", tool_call_id="s", tool_name="web_search", args_delta='{"qu')

    assert shown(in_pipe(), spoken(piece), *map(spoken, SEARCHED)) == SEARCH_SHOWN[:3]


def test_tools_that_speak_at_the_same_time_have_lines_of_their_own() -> None:
    lines = shown(
        in_pipe(), prints("a", "1"), prints("a", "2"), prints("b", "x"), prints("b", "y", anew=True)
    )

    assert lines == ["tool: 12", "tool: x", "tool: y"]


def test_on_a_screen_a_call_is_shown_while_it_runs_and_printed_when_it_is_done() -> None:
    clock = Clock()
    view = on_screen(clock)

    assert shown(view, saved(RUN), prints("c", "")) == []
    clock.at += 7
    assert shown(view, prints("c", "one\ntw"), prints("c", "o\n")) == []
    assert lasting(view) == ["● $ make test  7 s", "  one", "  two"]
    assert shown(view, spoken(RAN, "tool"), saved(RAN, role="tool", id=2)) == [
        "call: ● $ make test",
        "tool:   one",
        "tool:   two",
        "tool:   ✓ done",
    ]
    assert lasting(view) == []


def test_calls_that_run_at_the_same_time_are_printed_in_the_order_in_which_they_ended() -> None:
    view = on_screen()
    first, second = call("a", "read_file", path="a"), call("b", "read_file", path="b")
    shown(view, saved(first, second), prints("a", ""), prints("b", ""))

    lines = shown(view, spoken(result("b", "x"), "tool"), spoken(result("a", "y"), "tool"))

    assert lines == ["call: ● Read b", "tool:   ✓ x", "call: ● Read a", "tool:   ✓ y"]


def test_of_a_long_output_the_end_is_printed_and_all_of_it_is_kept() -> None:
    view = on_screen()
    output = "".join(f"line {number}\n" for number in range(100))

    lines = shown(
        view, saved(RUN), saved(result("c", {"exit_code": 1, "output": output}, "execute"), role="tool", id=2)
    )

    assert lines[1] == f"tool:   … {100 - OUTPUT_LINES_MAX} lines before; Ctrl-O shows all"
    assert lines[-2:] == ["tool:   line 99", "tool:   ✗ exit code 1"]
    assert list(view.calls.last_output) == output.splitlines()


@pytest.mark.parametrize(
    ("printed", "line"),
    [("\x1b[31mred\x1b[0m", "red"), ("10%\r50%\r", "50%"), ("a\x1b[2Kb\x07", "ab"), ("日本\n", "日本")],
)
def test_output_looks_as_it_does_on_a_terminal_and_commands_none(printed: str, line: str) -> None:
    view = on_screen()
    shown(view, saved(RUN), prints("c", printed))

    assert lasting(view)[1:] == [f"  {line}"]


def test_a_result_that_is_told_again_after_a_restart_is_not_printed_again() -> None:
    view = on_screen()
    shown(view, saved(RUN), prints("c", "one\n"), spoken(RAN, "tool"))

    assert shown(view, PreviewReset(), spoken(RAN, "tool"), saved(RAN, role="tool", id=2)) == []
    # The same id in a later reply is another call.
    assert len(shown(view, saved(RUN, id=3), saved(RAN, role="tool", id=4))) == 4


def test_output_that_is_told_again_from_its_beginning_is_shown_once() -> None:
    view = on_screen()
    shown(view, saved(RUN), prints("c", "one\n"), PreviewReset(), prints("c", "one\n"))

    assert lasting(view)[1:] == ["  one"]


def test_a_call_of_an_attempt_that_was_broken_off_goes_with_it() -> None:
    view = on_screen()
    shown(view, spoken(RUN), PreviewReset())

    assert lasting(view) == []


def test_a_call_without_a_result_is_printed_when_the_turn_is_over() -> None:
    view = on_screen()

    assert shown(view, saved(RUN), StatusChanged(status="waiting")) == ["call: ● $ make test"]


def test_a_change_that_was_shown_when_it_was_asked_for_is_not_shown_again() -> None:
    def lines(preview: str) -> list[str]:
        view = on_screen()
        asked = awaited("approval", {}, tool="edit_files", approval=ApprovalRequest(preview=preview))
        done = result("c", {"files": [{"path": "x", "diff": CHANGED}]}, "edit_files")
        shown(view, StatusChanged(status="requires_action"), WaitingForChanged(waiting_for=(asked,)))
        return shown(
            view, saved(call("c", "edit_files", files=[{"path": "x"}])), saved(done, role="tool", id=2)
        )

    assert lines(CHANGED) == ["call: ● Edit x", "tool:   ✓ done"]
    assert lines("-other\n")[2:] == [f"diff: {line}" for line in CHANGED.splitlines()]


def test_what_several_agents_have_reported_is_printed_and_not_what_was_waited_for() -> None:
    view = on_screen()
    reports = {"agents": [{"title": "look", "report": "Nothing."}, {"title": "count", "report": "Forty."}]}
    shown(view, saved(call("c", "wait_agent")), prints("c", "look is done.\n", "wait_agent"))

    assert lasting(view) == ["● Wait for agents  1 s"]
    assert shown(view, saved(result("c", reports, "wait_agent"), role="tool", id=2)) == [
        "call: ● Wait for agents",
        "tool:   ✓ look: Nothing.",
        "tool:     count: Forty.",
    ]


def test_that_what_was_said_is_summed_up_is_said_when_it_happens() -> None:
    view = on_screen()
    summary = {"summary": "It was about moons.", "source": "automatic", "usage_percent": 71}
    shown(view, spoken(Part(type="tool-call", tool_call_id="s", tool_name="chat_summarized")))
    shown(view, prints("s", "It was about", "chat_summarized"))

    assert lasting(view) == ["● Sum up what was said  1 s", "  It was about"]
    assert shown(view, spoken(result("s", summary, "chat_summarized"), "tool")) == [
        "call: ● Sum up what was said",
        "tool:   It was about moons.",
        "tool:   ✓ the model goes on with a summary of what was said, when 71% of the context was used",
    ]


def test_advice_is_a_quotation_and_says_whose_it_is() -> None:
    advice = {"type": "advice", "advice": "Look at a.py\nfirst.", "advisor_model": "p/m"}
    asked, told = call("a", "advisor", question="What now?"), result("a", advice, "advisor")

    assert shown(on_screen(), saved(asked), saved(told, role="tool", id=2)) == [
        "call: ● Ask the advisor: What now?",
        "text: > Look at a.py",
        "text: > first.",
        "tool:   ✓ by p/m",
    ]
