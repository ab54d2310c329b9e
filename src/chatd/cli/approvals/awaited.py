"""What a chat waits for, in lines for a person at a terminal."""

from collections.abc import Iterator

from chatd.client.answers import ApprovalRequest, Awaited
from chatd.kit.codec import encode_text
from chatd.kit.text import one_line, shortened

ARGS_WIDTH = 300
PREVIEW_LINES_MAX = 200


def lines_of(awaited: Awaited) -> Iterator[str]:
    """The tool with its arguments, and what the call would do."""
    is_shown_below = awaited.questions or awaited.plan is not None
    args = "" if is_shown_below else f" {shortened(one_line(encode_text(awaited.args)), ARGS_WIDTH)}"
    wanted = _WANTED.get(awaited.kind, awaited.kind)
    yield f"{one_line(awaited.tool_name)}{args}  (needs {wanted}, {one_line(awaited.tool_call_id)})"
    for number, question in enumerate(awaited.questions, start=1):
        yield f"  {number}. {one_line(question.header)}: {one_line(question.question)}"
        labels = (f"{index} {one_line(each.label)}" for index, each in enumerate(question.options, start=1))
        yield f"     {' | '.join(labels)} | or other words"
    if awaited.plan is not None:
        yield from (f"  {line}" for line in _preview(awaited.plan.text))
    if awaited.approval is not None:
        yield from (f"  {line}" for line in _approval_lines(awaited.approval))


_WANTED = {"result": "a result", "approval": "approval", "answer": "an answer"}


def _approval_lines(approval: ApprovalRequest) -> Iterator[str]:
    for program in approval.programs:
        yield f"runs    {shortened(one_line(' '.join(program)), ARGS_WIDTH)}"
    if approval.unsure is not None:
        yield f"unsure  it may run more: {one_line(approval.unsure)}"
    if approval.danger is not None:
        yield f"danger  {one_line(approval.danger)}"
    for path in approval.reads:
        yield f"reads   {one_line(path)}"
    for path in approval.writes:
        yield f"writes  {one_line(path)}"
    for host in approval.hosts:
        yield f"asks    {one_line(host)}"
    for each in approval.scopes:
        for rule in each.rules:
            yield f"{each.scope:<7} would {one_line(rule)}"
    yield from _preview(approval.preview or "")


def _preview(text: str) -> Iterator[str]:
    lines = text.splitlines()
    yield from (f"| {line}" for line in lines[:PREVIEW_LINES_MAX])
    if len(lines) > PREVIEW_LINES_MAX:
        yield f"| and {len(lines) - PREVIEW_LINES_MAX} more lines"
