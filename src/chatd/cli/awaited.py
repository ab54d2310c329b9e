"""What a chat waits for, in lines for a person at a terminal."""

from collections.abc import Iterator

from chatd.client.answers import ApprovalRequest, Awaited
from chatd.kit.codec import encode_text
from chatd.kit.text import one_line, shortened

ARGS_WIDTH = 300
PREVIEW_LINES_MAX = 200


def lines_of(awaited: Awaited) -> Iterator[str]:
    """The tool with its arguments, and what the call would do."""
    args = shortened(one_line(encode_text(awaited.args)), ARGS_WIDTH)
    wanted = _WANTED.get(awaited.kind, awaited.kind)
    yield f"{one_line(awaited.tool_name)} {args}  (needs {wanted}, {one_line(awaited.tool_call_id)})"
    if awaited.approval is not None:
        yield from (f"  {line}" for line in _told(awaited.approval))


_WANTED = {"result": "a result", "approval": "approval", "answer": "an answer"}


def _told(approval: ApprovalRequest) -> Iterator[str]:
    for program in approval.programs:
        yield f"runs    {shortened(one_line(' '.join(program)), ARGS_WIDTH)}"
    if approval.unsure is not None:
        yield f"unsure  it may run more: {one_line(approval.unsure)}"
    for path in approval.reads:
        yield f"reads   {one_line(path)}"
    for path in approval.writes:
        yield f"writes  {one_line(path)}"
    for each in approval.scopes:
        for rule in each.rules:
            yield f"{each.scope:<7} would {one_line(rule)}"
    yield from _preview(approval.preview or "")


def _preview(text: str) -> Iterator[str]:
    lines = text.splitlines()
    yield from (f"| {line}" for line in lines[:PREVIEW_LINES_MAX])
    if len(lines) > PREVIEW_LINES_MAX:
        yield f"| and {len(lines) - PREVIEW_LINES_MAX} more lines"
