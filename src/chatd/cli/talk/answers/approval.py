"""An approval in the terminal (pure): what a person is shown of a call, and what their answer means."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from chatd.cli.talk.showing.pieces import Piece, Tone
from chatd.client.answers import ApprovalRequest, Awaited
from chatd.kit.codec import as_text, encode_text
from chatd.kit.text import visible, visible_json

# Of arguments and of what would change. More is in `chatd show`, and in no terminal read before a decision.
SHOWN_CHARACTERS_MAX = 8000
SHOWN_PATHS_MAX = 20

# What may be typed, what it decides, and how far that reaches.
ANSWERS: Final[Mapping[str, tuple[str, str]]] = {
    "y": ("allow", "once"),
    "yes": ("allow", "once"),
    "c": ("allow", "chat"),
    "chat": ("allow", "chat"),
    "a": ("allow", "always"),
    "always": ("allow", "always"),
    "n": ("deny", "once"),
    "no": ("deny", "once"),
}
# In the order in which they are offered.
KEYS: Final[Mapping[str, tuple[str, str]]] = {
    "once": ("y", "allow it this time"),
    "chat": ("c", "allow such calls in this chat"),
    "always": ("a", "allow such calls in all your chats"),
}


def question(awaited: Awaited) -> str:
    """What is to be answered, on the line on which one types."""
    return f"{'/'.join([*keys(awaited), 'n'])}> "


def keys(awaited: Awaited) -> list[str]:
    """Those that allow it."""
    return [KEYS[scope][0] for scope in _scopes(awaited)]


def how_to_answer(awaited: Awaited) -> str:
    return f"Type {', '.join(keys(awaited))} or n; words may follow n alone."


def description(awaited: Awaited) -> Iterator[Piece]:
    """Everything that a person should know before they allow the call."""
    request = awaited.approval or ApprovalRequest()
    yield _line(f"May the agent run {visible(awaited.tool_name)}?", Tone.ASKED)
    if request.programs or request.unsure:
        yield from _command(awaited.args)
    elif request.preview:
        # It says the same as the arguments, and more clearly.
        yield from _whole(request.preview.rstrip("\n"), Tone.DIFF)
    else:
        yield from _whole(encode_text(awaited.args), Tone.CALL, "    ")
    for words in _touched(request):
        yield _line(words)


def choices(awaited: Awaited) -> Iterator[str]:
    request = awaited.approval or ApprovalRequest()
    rules = {each.scope: each.rules for each in request.scopes}
    for scope in _scopes(awaited):
        key, words = KEYS[scope]
        made = f": {visible_json('; '.join(rules[scope]))}" if rules.get(scope) else ""
        yield f"  {key}  {words}{made}"
    yield "  n  do not; what you write behind it is told to the agent"


def approval_of(awaited: Awaited, line: str) -> dict[str, Any] | None:
    """The answer as the server takes it. None: the line is no answer, or one that is not offered."""
    word, _, reason = line.strip().partition(" ")
    decision, scope = ANSWERS.get(word.lower(), ("", ""))
    # "A better way is …" is somebody who objects, and not one who allows it for always.
    if not decision or (decision == "allow" and (reason or scope not in _scopes(awaited))):
        return None
    return {
        "tool_call_id": awaited.tool_call_id,
        "message_id": awaited.message_id,
        "decision": decision,
        "scope": scope,
        "reason": reason.strip() or None,
    }


def _scopes(awaited: Awaited) -> list[str]:
    offered = {each.scope for each in awaited.approval.scopes} if awaited.approval is not None else set()
    return [scope for scope in KEYS if scope in offered | {"once"}]


def _line(words: str, tone: Tone = Tone.NOTE) -> Piece:
    return Piece(tone, f"{words}\n")


def _command(args: Any) -> Iterator[Piece]:
    """As it was written; other arguments, such as the directory, below it."""
    given = args if isinstance(args, dict) else {}
    yield from _whole(str(given.get("command", "")), Tone.CALL, "  $ ", "    ")
    for name, value in given.items():
        if name not in ("command", "model_intent"):
            yield from _whole(f"{name}: {as_text(value)}", Tone.CALL, "    ")


def _touched(request: ApprovalRequest) -> Iterator[str]:
    if len(request.programs) > 1:
        words = (" ".join(program) for program in request.programs[:SHOWN_PATHS_MAX])
        yield f"  It runs {len(request.programs)} programs: {visible_json('; '.join(words))}"
    if request.unsure:
        yield f"  It may run more than that: {visible(request.unsure)}."
    if request.danger:
        yield f"  Look closely at {visible(request.danger)}."
    for deed, paths in (("reads", request.reads), ("writes", request.writes), ("asks", request.hosts)):
        if paths:
            more = ", …" if len(paths) > SHOWN_PATHS_MAX else ""
            yield f"  It {deed} {visible_json(', '.join(paths[:SHOWN_PATHS_MAX]))}{more}"


def _whole(text: str, tone: Tone, first: str = "", rest: str | None = None) -> Iterator[Piece]:
    """Line by line, behind these marks. What a terminal would hide is escaped: nothing of what is to be
    allowed may be out of sight.
    """
    for number, line in enumerate(text[:SHOWN_CHARACTERS_MAX].split("\n")):
        mark = first if number == 0 or rest is None else rest
        yield _line(f"{mark}{visible_json(line)}", tone)
    if (hidden := len(text) - SHOWN_CHARACTERS_MAX) > 0:
        yield _line(f"  [{hidden:,} more characters are not shown here; `chatd show` prints all of them]")
