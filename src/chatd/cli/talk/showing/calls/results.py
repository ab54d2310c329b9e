"""What a terminal says of the result of a call (pure): a line or a few, its output, what it has changed."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from chatd.cli.talk.showing.calls.output import shown_lines
from chatd.cli.talk.showing.calls.words import ADVISOR, SUMMARY, WAIT_AGENT, Fields, glimpse
from chatd.client.answers import Part
from chatd.kit.codec import as_text

DIFF_LINES_MAX = 40
REPORTS_MAX = 10
# A call that took as long says so, and from when on without tenths.
_LONG_SECONDS, _VERY_LONG_SECONDS = 0.1, 10
# Of a command that has not ended.
UNKNOWN_EXIT_CODE = -1


def result_lines(part: Part) -> list[str]:
    """What has come of it."""
    result, words = part.result, _RESULTS.get(part.tool_name or "")
    if isinstance(result, dict) and not part.is_error and words is not None:
        return words(result)
    return [glimpse(_error_in(result) or as_text(result))]


def mark_of(part: Part) -> str:
    """Whether it came to what it should. A command that failed is a call that went well."""
    result = part.result if isinstance(part.result, dict) else {}
    has_failed = part.tool_name == "execute" and result.get("exit_code") not in (0, UNKNOWN_EXIT_CODE, None)
    return "✗" if part.is_error or has_failed else "✓"


def took(part: Part) -> str:
    seconds = (part.duration_ms or 0) / 1000
    if seconds < _LONG_SECONDS:
        return ""
    return f" ({seconds:.1f} s)" if seconds < _VERY_LONG_SECONDS else f" ({seconds:,.0f} s)"


def output_of(part: Part) -> list[str]:
    """What a command has printed, or an advisor has said."""
    result = part.result if isinstance(part.result, dict) else {}
    field = {"execute": "output", "process_output": "output", ADVISOR: "advice", SUMMARY: "summary"}
    output = result.get(field.get(part.tool_name or "", ""))
    return shown_lines(output) if isinstance(output, str) else []


def diff_of(part: Part) -> str:
    """How files were changed."""
    return "".join(f"{diff.rstrip(chr(10))}\n" for diff in _diffs(part.result))


def diff_lines(diff: str) -> Iterator[str]:
    """As far as there is room."""
    lines = diff.splitlines()
    yield from lines[:DIFF_LINES_MAX]
    if len(lines) > DIFF_LINES_MAX:
        yield f"… {len(lines) - DIFF_LINES_MAX} more lines; `chatd diff` prints all of them"


def _error_in(result: Any) -> str | None:
    error = result.get("error") if isinstance(result, dict) else None
    return error if isinstance(error, str) else None


def _diffs(result: Any) -> Iterator[str]:
    files = result.get("files") if isinstance(result, dict) else None
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict) and isinstance(file.get("diff"), str):
            yield file["diff"]


def _ran(result: Fields) -> list[str]:
    code, error = result.get("exit_code"), _error_in(result)
    if error is not None:
        return [glimpse(error)]
    if code == UNKNOWN_EXIT_CODE:
        return ["runs on"]
    return ["done" if code == 0 else f"exit code {code}"]


def _found(result: Fields) -> list[str]:
    paths = result.get("paths")
    count = len(paths) if isinstance(paths, list) else result.get("matches")
    return [f"{count:,} found" if isinstance(count, int) else "done"]


def _read(result: Fields) -> list[str]:
    count = result.get("lines_read")
    return [f"{count:,} lines" if isinstance(count, int) else "done"]


def _changed(result: Fields) -> list[str]:
    files = result.get("files")
    return [f"{len(files)} changed" if isinstance(files, list) and len(files) > 1 else "done"]


def _advised(result: Fields) -> list[str]:
    return [_error_in(result) or f"by {glimpse(str(result.get('advisor_model', 'the advisor')))}"]


def _reported(result: Fields) -> list[str]:
    """Each agent with the beginning of its report."""
    agents = result.get("agents", [result])
    lines = [_report(agent) for agent in agents if isinstance(agent, dict)]
    more = len(lines) - REPORTS_MAX
    over = ["the time was over before all were done"] if result.get("timed_out") else []
    return [*lines[:REPORTS_MAX], *([f"and {more} more"] if more > 0 else []), *over] or ["done"]


def _report(agent: Fields) -> str:
    said = agent.get("report") or agent.get("last_error") or agent.get("status") or ""
    return f"{glimpse(str(agent.get('title', '')))}: {glimpse(str(said))}"


def _answered(result: Fields) -> list[str]:
    answers = result.get("answers")
    given = [each for each in answers if isinstance(each, dict)] if isinstance(answers, list) else []
    pairs = [(str(each.get("question", "")), str(each.get("answer", ""))) for each in given]
    return [f"{glimpse(question)} {glimpse(answer)}" for question, answer in pairs] or ["left to the agent"]


def _decided(result: Fields) -> list[str]:
    words = {"accept": "accepted", "revise": "to be changed", "decline": "declined"}
    said = f": {glimpse(str(result['feedback']))}" if result.get("feedback") else ""
    return [f"{words.get(str(result.get('decision')), 'done')}{said}"]


def _summed_up(result: Fields) -> list[str]:
    percent = result.get("usage_percent")
    before = f", when {percent}% of the context was used" if isinstance(percent, int) and percent else ""
    why = f" ({glimpse(str(result['without_model']))})" if result.get("without_model") else ""
    return [f"the model goes on with a summary of what was said{before}{why}"]


_RESULTS: Final[Mapping[str, Callable[[Fields], list[str]]]] = {
    "execute": _ran,
    "read_file": _read,
    "find_files": _found,
    "search_files": _found,
    "edit_files": _changed,
    "write_file": _changed,
    "spawn_agent": lambda _: ["started"],
    WAIT_AGENT: _reported,
    "ask_user_question": _answered,
    "propose_plan": _decided,
    ADVISOR: _advised,
    SUMMARY: _summed_up,
}
