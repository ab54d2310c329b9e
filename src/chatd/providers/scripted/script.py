"""The language of scripts: what a person types to make the scripted model do something (pure).

One instruction to a line. Blank lines, lines that begin with `#` and Markdown fences mean nothing;
after numbers and JSON a `# comment` may follow. Of a message with a fence that says `script`, only
what is inside counts.

    say WORDS                              speak; several in a row are one text of several lines
    think WORDS                            reason aloud, likewise
    call TOOL {JSON}                       call a tool; all calls of a step are made in one reply
    call @ID TOOL {JSON}                   ... with this call id
    call TOOL raw ANYTHING                 ... with arguments written wrongly
    search WORDS                           a search that the provider runs itself, with a source
    wait SECONDS                           say nothing for a while
    stream N words [at R per second]       speak words that mean nothing
    fail KIND [after N words] [once | twice | N times] [retry after SECONDS]
    stop [after N words] [once | twice | N times]       the connection ends without a word
    end REASON                             finish as if for this reason: done, length, refused, ...
    usage N [of M]                         report N tokens of prompt, in a window of M
    next                                   what follows is for the next step, after the tools' results

A failure with `after` lets so many of the words that follow it out first. One that says how often
is over after so many attempts; the rest of the step is what a later attempt says.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from msgspec import Struct

from chatd.domain.ids import CallId
from chatd.domain.part import Json
from chatd.providers.dialects.shared.arguments import STRICT_JSON
from chatd.providers.events import Stop

WAIT_SECONDS_MAX = 3600.0
RETRY_AFTER_SECONDS_MAX = 86_400.0
STREAM_WORDS_MAX = 100_000
WORDS_PER_SECOND_MAX = 1_000_000.0
TIMES_MAX = 10_000
TOKENS_MAX = 10**12
# Longer than any number that is allowed. Python refuses to read much longer ones, and takes its time.
DIGITS_MAX = 20
# A complaint names at most this many lines.
PROBLEMS_MAX = 5
# Lines that mean something. A script is read anew for each step, between the words of other chats.
LINES_MAX = 5_000


class Say(Struct, frozen=True):
    text: str


class Think(Struct, frozen=True):
    text: str


class CallTool(Struct, frozen=True):
    tool: str
    args: Json
    call_id: CallId | None = None


class Search(Struct, frozen=True):
    query: str


class Wait(Struct, frozen=True):
    seconds: float


class Ramble(Struct, frozen=True):
    """Words that mean nothing."""

    words: int
    per_second: float | None = None


class Fail(Struct, frozen=True, kw_only=True):
    """Fail in this way, or without a kind: just end."""

    kind: str | None
    after_words: int | None = None
    # None: in every attempt.
    times: int | None = None
    retry_after_seconds: float | None = None


class End(Struct, frozen=True):
    stop: Stop


class Report(Struct, frozen=True):
    prompt_tokens: int
    context_limit: int | None = None


Instruction: TypeAlias = Say | Think | CallTool | Search | Wait | Ramble | Fail | End | Report
Step: TypeAlias = tuple[Instruction, ...]


class For(Struct, frozen=True):
    """No part of a reply: this is done when a text about the chat is asked for."""

    text: str
    instruction: Instruction


class Script(Struct, frozen=True):
    steps: tuple[Step, ...]


class Problem(Struct, frozen=True):
    line: int
    text: str
    why: str


class Misunderstood(Struct, frozen=True):
    problems: tuple[Problem, ...]


class Failure(Struct, frozen=True):
    """A way to fail: one of the faults of real providers, and the status it mostly comes with."""

    fault: str
    status_code: int | None = None


# What `fail` can be followed by.
FAILURES: Final[dict[str, Failure]] = {
    "overloaded": Failure("overloaded", 529),
    "rate_limit": Failure("rate_limit", 429),
    "timeout": Failure("timeout", 504),
    "server_error": Failure("server", 500),
    "invalid_response": Failure("invalid_response"),
    "auth": Failure("auth", 401),
    "usage_limit": Failure("usage_limit", 402),
    "provider_disabled": Failure("provider_disabled", 503),
    "config": Failure("model_not_found", 404),
    "context_too_large": Failure("context_too_large", 400),
    "content_filter": Failure("content_filter"),
    "generic": Failure("unknown"),
}


def read_script(text: str) -> Script | Misunderstood | None:
    """The script that the text is, what is wrong with it, or None when it is ordinary text."""
    steps: list[list[Instruction]] = [[]]
    problems: list[Problem] = []
    recognised = False
    for count, (number, line) in enumerate(_instructions_in(text)):
        if count == LINES_MAX:
            problems.append(Problem(number, line, f"a script has at most {LINES_MAX} lines"))
            break
        verb, _, rest = line.partition(" ")
        recognised = recognised or _is_instruction(verb, rest)
        try:
            _add(steps, verb, rest if verb in _SPOKEN else rest.strip())
        except _NotUnderstoodError as error:
            problems.append(Problem(number, line, str(error)))
    if not recognised:
        return None
    return Misunderstood(tuple(problems)) if problems else Script(tuple(map(tuple, steps)))


def _is_instruction(verb: str, rest: str) -> bool:
    """Many a sentence begins with `for`."""
    if verb == FOR:
        return rest.partition(" ")[0] in TEXTS
    return verb == NEXT or verb in VERBS


def text_step(words: str, purpose: str) -> Step:
    """What the scripts in these words say for a text about the chat; mostly nothing."""
    step = []
    for line in words.splitlines():
        if found := _FOR_LINE.match(line.strip()):
            try:
                instruction = _read_for(found[1])
            except _NotUnderstoodError:
                continue  # The reply has said what is wrong with it.
            if instruction.text == purpose:
                step.append(instruction.instruction)
    return tuple(step)


def has_text_step(words: str) -> bool:
    """Whether there may be something for a text about the chat, seen at a glance."""
    return _FOR_TEXT.search(words) is not None


def rest_of_script(text: str, steps_done: int) -> str:
    """What is left of a script after so many steps, to be written somewhere else."""
    steps: list[list[str]] = [[]]
    for _, line in _instructions_in(text):
        if line.partition(" ")[0] == NEXT:
            steps.append([])
        else:
            steps[-1].append(line)
    return f"\n{NEXT}\n".join("\n".join(step) for step in steps[steps_done:])


NEXT = "next"
FOR = "for"
# What follows them is said as it stands, indentation and all.
_SPOKEN: Final = frozenset({"say", "think"})
_FENCE = "```"
_SCRIPT_FENCE = "```script"


class _NotUnderstoodError(Exception):
    pass


def _instructions_in(text: str) -> Iterator[tuple[int, str]]:
    """The lines that mean something, with their numbers."""
    lines = [line.strip() for line in text.splitlines()]
    fenced = _SCRIPT_FENCE in lines
    inside = not fenced
    for number, line in enumerate(lines, 1):
        if fenced and line.startswith(_FENCE):
            inside = line == _SCRIPT_FENCE
        elif inside and line and not line.startswith(("#", _FENCE)):
            yield number, line


def _add(steps: list[list[Instruction]], verb: str, rest: str) -> None:
    if verb == NEXT:
        _expect(not _uncommented(rest), "`next` stands alone")
        steps.append([])
        return
    reader = VERBS.get(verb)
    if reader is None:
        raise _NotUnderstoodError(f"`{verb}` is no instruction; there are {_listed([*VERBS, NEXT])}")
    instruction = reader(rest)
    if isinstance(instruction, For):
        return
    _expect(
        not (steps[-1] and _ends_everything(steps[-1][-1])),
        "nothing comes after a line that fails in every attempt; say how often, or begin a step with `next`",
    )
    steps[-1].append(instruction)


def _ends_everything(instruction: Instruction) -> bool:
    return isinstance(instruction, Fail) and instruction.times is None and instruction.after_words is None


def _expect(fine: object, why: str) -> None:
    if not fine:
        raise _NotUnderstoodError(why)


def _listed(words: list[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _uncommented(rest: str) -> str:
    return re.sub(r"(^|\s)#.*$", "", rest).strip()


_CALL = re.compile(r"(?:@(?P<id>\S+)\s+)?(?P<tool>[^\s{@]\S*)(?:\s+(?P<args>.*))?$")


def _read_call(rest: str) -> CallTool:
    found = _CALL.match(rest)
    if found is None:
        raise _NotUnderstoodError('write `call TOOL {"name": "value"}`')
    call_id = CallId(found["id"]) if found["id"] else None
    args = found["args"] or ""
    if args == "raw" or args.startswith("raw "):
        return CallTool(found["tool"], args.removeprefix("raw").strip(), call_id)
    return CallTool(found["tool"], _read_json(args), call_id)


def _read_json(text: str) -> Json:
    if not _uncommented(text):
        return {}
    try:
        value, end = STRICT_JSON.raw_decode(text)
    except (ValueError, RecursionError) as error:
        why = f"the arguments are no JSON ({error}); `raw` sends them as they are"
        raise _NotUnderstoodError(why) from error
    _expect(not _uncommented(text[end:]), "something follows the arguments")
    _expect(isinstance(value, dict), 'the arguments are an object, such as {"path": "a.txt"}')
    return value


def _read_search(rest: str) -> Search:
    _expect(rest, "say what to search for")
    return Search(rest)


_NUMBER = r"\d+(?:\.\d+)?"
_WAIT = re.compile(rf"(?P<seconds>{_NUMBER})(?:\s*(?:s|seconds?))?$")


def _read_wait(rest: str) -> Wait:
    found = _WAIT.match(_uncommented(rest))
    if found is None:
        raise _NotUnderstoodError("write `wait SECONDS`, for example `wait 2.5`")
    return Wait(_at_most(found["seconds"], WAIT_SECONDS_MAX))


_RATE = rf"at\s+(?P<rate>{_NUMBER})(?:\s+per\s+second|/s)"
_STREAM = re.compile(rf"(?P<words>\d+)\s+(?:words?|tokens?)(?:\s+{_RATE})?$")


def _read_stream(rest: str) -> Ramble:
    found = _STREAM.match(_uncommented(rest))
    if found is None:
        raise _NotUnderstoodError("write `stream N words`, or `stream N words at R per second`")
    return Ramble(int(_at_most(found["words"], STREAM_WORDS_MAX)), _rate(found["rate"]))


def _rate(digits: str | None) -> float | None:
    if digits is None:
        return None
    rate = _at_most(digits, WORDS_PER_SECOND_MAX)
    _expect(rate > 0, "the rate is more than nothing")
    _expect(rate * WAIT_SECONDS_MAX >= 1, f"at least a word in {WAIT_SECONDS_MAX:.0f} seconds")
    return rate


def _at_most(digits: str, most: float) -> float:
    """The number that these digits are."""
    whole = digits.partition(".")[0]
    _expect(len(whole) <= DIGITS_MAX and float(digits) <= most, f"at most {most:g}")
    return float(digits)


_FAIL = re.compile(r"(?P<kind>[a-z_]+)(?P<rest>.*)$")


def _read_fail(rest: str) -> Fail:
    found = _FAIL.match(_uncommented(rest))
    if found is None or found["kind"] not in FAILURES:
        raise _NotUnderstoodError(f"say how to fail: {_listed([*FAILURES])}")
    return _with_clauses(found["kind"], found["rest"])


def _read_stop(rest: str) -> Fail:
    stop = _with_clauses(None, _uncommented(rest))
    _expect(stop.retry_after_seconds is None, "a cut connection asks for nothing")
    return stop


_CLAUSES: Final = (
    re.compile(r"after\s+(?P<after>\d+)\s+(?:words?|tokens?)\b"),
    re.compile(rf"retry\s+after\s+(?P<retry>{_NUMBER})(?:\s*(?:s|seconds?))?(?!\S)"),
    re.compile(r"(?P<often>once|twice|\d+\s+times?)\b"),
)


def _with_clauses(kind: str | None, rest: str) -> Fail:
    """Clauses come in any order, each at most once."""
    said: dict[str, str] = {}
    rest = rest.strip()
    while rest:
        found = next((match for clause in _CLAUSES if (match := clause.match(rest))), None)
        _expect(found is not None and not said.keys() & found.groupdict().keys(), f"what does `{rest}` mean?")
        assert found is not None
        said |= found.groupdict()
        rest = rest[found.end() :].strip()
    return Fail(
        kind=kind,
        after_words=int(_at_most(said["after"], STREAM_WORDS_MAX)) if "after" in said else None,
        times=_times(said["often"]) if "often" in said else None,
        retry_after_seconds=(_at_most(said["retry"], RETRY_AFTER_SECONDS_MAX) if "retry" in said else None),
    )


def _times(often: str) -> int:
    return {"once": 1, "twice": 2}.get(often) or int(_at_most(often.split(maxsplit=1)[0], TIMES_MAX))


def _read_end(rest: str) -> End:
    reason = _uncommented(rest)
    _expect(reason in set(Stop), f"say why: {_listed([*Stop])}")
    return End(Stop(reason))


_USAGE = re.compile(r"(?P<used>\d+)(?:\s+tokens?)?(?:\s+of\s+(?P<limit>\d+))?$")


def _read_usage(rest: str) -> Report:
    found = _USAGE.match(_uncommented(rest))
    if found is None:
        raise _NotUnderstoodError("write `usage N` or `usage N of M`, for example `usage 1200 of 200000`")
    limit = int(_at_most(found["limit"], TOKENS_MAX)) if found["limit"] else None
    return Report(int(_at_most(found["used"], TOKENS_MAX)), limit)


_FOR_TEXT = re.compile(r"^[^\S\n]*for[^\S\n]+(?:title|label|summary)\b", re.MULTILINE)
_FOR_LINE = re.compile(r"for\s+(.*)$")
# As scripts call the texts about a chat, and as requests do.
TEXTS: Final = {"title": "title", "label": "label", "summary": "chat_summary"}
_FOR_VERBS: Final = ("say", "wait", "fail", "stop", "usage", "end")


def _read_for(rest: str) -> For:
    text, _, instruction = rest.partition(" ")
    verb, _, rest = instruction.strip().partition(" ")
    _expect(text in TEXTS, f"say for which text: {_listed([*TEXTS])}")
    _expect(verb in _FOR_VERBS, f"for a text there are {_listed([*_FOR_VERBS])}")
    inner = VERBS[verb](rest.strip())
    assert not isinstance(inner, For), "`for` is none of these"
    return For(TEXTS[text], inner)


VERBS: Final[dict[str, Callable[[str], Instruction | For]]] = {
    "say": Say,
    "think": Think,
    "call": _read_call,
    "search": _read_search,
    "wait": _read_wait,
    "stream": _read_stream,
    "fail": _read_fail,
    "stop": _read_stop,
    "end": _read_end,
    "usage": _read_usage,
    FOR: _read_for,
}
