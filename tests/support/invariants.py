"""What must be true of a stored chat, found out the long way: by reading all of it.

Nothing in here uses the projection, the ledger's bookkeeping or the version rules. Each
function is one promise; a violation is an AssertionError that says which.
"""

from collections.abc import Sequence

from chatd.domain.branch import Branch
from chatd.domain.call import Call, CallState, Kind
from chatd.domain.chat import Chat, Status
from chatd.domain.decision.projection import Projection
from chatd.domain.ids import CallId, FileId
from chatd.domain.message import Message, Queued, Role, Usage, Visibility, is_notice
from chatd.domain.part import ToolCall, ToolResult, files_in
from chatd.domain.usage.charge import Charge

QUEUE_MAX, LINKS_MAX = 20, 50


def assert_coherent(
    *,
    chat: Chat,
    messages: Sequence[Message],
    queue: Sequence[Queued],
    calls: Sequence[Call],
    links: Sequence[FileId],
    branches: Sequence[Branch] = (),
    charges: Sequence[Charge] = (),
) -> None:
    history = [message for message in messages if not message.deleted]
    assert_the_facts_fit(chat, queue)
    assert_the_versions_fit(chat, messages)
    assert_the_queue_is_in_order(chat, queue)
    assert_no_message_comes_while_a_call_is_open(history)
    assert [call_key(c) for c in calls if counts_as_open(c, history)] == open_calls_by_scanning(history)
    assert chat.open_calls == len(open_calls_by_scanning(history))
    assert chat.projection == projection_by_scanning(history, chat.projection)
    assert_a_chat_at_rest_tells_how_its_turn_ended(chat)
    assert chat.queued == len(queue)
    assert_the_ledger_covers_the_history(messages, calls)
    assert_files_are_linked(messages, queue, links)
    assert chat.branch_count == len(branches) + 1
    assert_the_totals_are_the_sums(chat, messages, charges)


def assert_the_facts_fit(chat: Chat, queue: Sequence[Queued]) -> None:
    legal = {
        Status.WAITING: not queue,
        Status.ERROR: True,
        Status.RUNNING: not chat.archived,
        Status.INTERRUPTING: not chat.archived,
        Status.REQUIRES_ACTION: not chat.archived,
    }
    assert legal[chat.status], f"no chat may be {chat.situation}"
    assert chat.last_error is None or chat.status is Status.ERROR
    assert chat.deadline_at is None or chat.status is Status.REQUIRES_ACTION
    assert chat.compaction_requested_at is None or chat.status in (Status.RUNNING, Status.INTERRUPTING)
    assert not (chat.archived and chat.pin_order)


def assert_the_versions_fit(chat: Chat, messages: Sequence[Message]) -> None:
    versions = chat.versions
    assert versions.snapshot >= 1
    assert max(versions.history, versions.queue, versions.retry) <= versions.snapshot
    assert max(message.revision for message in messages) <= versions.history
    assert chat.last_number >= max(message.id for message in messages)


def assert_a_chat_at_rest_tells_how_its_turn_ended(chat: Chat) -> None:
    if chat.status in (Status.WAITING, Status.ERROR):
        assert chat.projection.ended, f"the last message of a chat that is {chat.situation} tells no end"


def assert_the_queue_is_in_order(chat: Chat, queue: Sequence[Queued]) -> None:
    assert len(queue) <= QUEUE_MAX
    order = [(row.position, row.id) for row in queue]
    assert order == sorted(set(order))
    assert all(row.id <= chat.last_number for row in queue)


def assert_no_message_comes_while_a_call_is_open(history: Sequence[Message]) -> None:
    owed: set[CallId] = set()
    for message in history:
        if message.compressed and message.role is not Role.USER:
            continue
        if message.role in (Role.USER, Role.ASSISTANT):
            assert not owed, f"message {message.id} was said while {owed} had no answer"
        results = {part.tool_call_id for part in message.content if isinstance(part, ToolResult)}
        owed -= results
        if message.role is Role.ASSISTANT:
            made = [p for p in message.content if isinstance(p, ToolCall) and not p.provider_executed]
            owed = {part.tool_call_id for part in made} - results


def open_calls_by_scanning(history: Sequence[Message]) -> list[tuple[int, str]]:
    """As the specification defines them: calls of the last assistant message without a result."""
    replies = [m for m in history if m.role is Role.ASSISTANT and not m.compressed]
    if not replies:
        return []
    last = replies[-1]
    later = [m for m in history if m.id > last.id and m.role is Role.TOOL and not m.compressed]
    answered = {
        part.tool_call_id for m in (last, *later) for part in m.content if isinstance(part, ToolResult)
    }
    return [
        (last.id, part.tool_call_id)
        for part in last.content
        if isinstance(part, ToolCall) and not part.provider_executed and part.tool_call_id not in answered
    ]


def counts_as_open(call: Call, history: Sequence[Message]) -> bool:
    active = {message.id for message in history}
    return (
        call.message_id in active and call.kind is not Kind.PROVIDER and call.state is not CallState.ANSWERED
    )


def call_key(call: Call) -> tuple[int, str]:
    return call.message_id, call.id


def assert_the_ledger_covers_the_history(messages: Sequence[Message], calls: Sequence[Call]) -> None:
    """One row for each call of each reply, on every branch, in call order."""
    made = [
        (message.id, part.tool_call_id)
        for message in messages
        if message.role is Role.ASSISTANT and not message.compressed
        for part in message.content
        if isinstance(part, ToolCall)
    ]
    assert [call_key(call) for call in calls] == made
    for call in calls:
        assert (call.state is CallState.FINISHED) <= (call.result is not None)


def assert_files_are_linked(
    messages: Sequence[Message], queue: Sequence[Queued], links: Sequence[FileId]
) -> None:
    assert set(files_in([m.content for m in messages] + [q.content for q in queue])) <= set(links)
    assert len(links) <= LINKS_MAX


def assert_the_totals_are_the_sums(
    chat: Chat, messages: Sequence[Message], charges: Sequence[Charge]
) -> None:
    """Of everything that was paid for, whether it is still in the history or not."""
    paid: list[Message | Charge] = [
        *(m for m in messages if m.usage is not None or m.cost is not None),
        *charges,
    ]
    totals = chat.totals
    used = [each.usage for each in paid if each.usage is not None]
    for name in Usage.__struct_fields__:
        total = 0 if name.startswith("context_") else sum(getattr(usage, name) for usage in used)
        assert getattr(totals.usage, name) == total, name
    assert totals.cost_micros == sum(each.cost.micros for each in paid if each.cost is not None)
    assert totals.unpriced == sum(each.cost is None for each in paid)


def projection_by_scanning(history: Sequence[Message], stored: Projection) -> Projection:
    """Every field by its definition, from the whole history without its notices.

    What a refused prompt has told is in no message.
    """
    history = [m for m in history if not is_notice(m.role, m.visibility)]
    seen = [m for m in history if m.visibility is not Visibility.MODEL]
    plain = [m for m in history if not m.compressed]
    shown = [m for m in plain if m.visibility is not Visibility.MODEL]
    prompted = [m for m in plain if m.visibility is not Visibility.USER]
    starts = [m.id for m in shown if m.role is Role.USER]
    turn_start = starts[-1] if starts else 0
    turn = [m for m in shown if m.id > turn_start]

    summaries = [m for m in history if m.compressed and m.visibility is Visibility.MODEL]
    boundary = summaries[-1].id if summaries else 0
    since = [m for m in plain if m.id > boundary]
    reports = [m for m in prompted if m.id > boundary and m.usage and m.usage.prompt_tokens]
    first = [m for m in reports if m.role is Role.ASSISTANT]
    last = reports[-1].usage if reports else None
    system_tokens = sum(m.tokens for m in prompted if m.role is Role.SYSTEM)
    before = sum(m.tokens for m in prompted if m.role is Role.SYSTEM and m.id < boundary)
    return Projection(
        last_role=shown[-1].role if shown else None,
        last_id=seen[-1].id if seen else 0,  # type: ignore[arg-type]  # 0 when nobody has spoken
        ended=bool(seen) and seen[-1].turn_end is not None,
        failed=bool(seen) and seen[-1].turn_end is not None and seen[-1].turn_end.error is not None,
        turns=len(starts),
        turn_start=turn_start,  # type: ignore[arg-type]  # 0 when nobody has spoken
        steps=sum(m.role is Role.ASSISTANT for m in turn),
        advisor_uses=sum(m.advisor_uses for m in turn),
        ending=any(m.ends_turn for m in turn if m.role is Role.TOOL),
        boundary=boundary,  # type: ignore[arg-type]  # 0 when nothing was summarized
        messages_since_boundary=len(since),
        replies_since_boundary=sum(
            m.role is Role.ASSISTANT and m.visibility is not Visibility.MODEL for m in since
        ),
        first_prompt_tokens=_without_what_followed(first[0], prompted, boundary) if first else 0,
        prompt_tokens=last.prompt_tokens if last else 0,
        context_limit=last.context_limit if last else 0,
        estimated_tokens=(
            last.prompt_tokens
            + last.output_tokens
            + sum(_corrected(m.tokens, m.id, prompted) for m in prompted if m.id > reports[-1].id)
        )
        if last
        else _corrected(before + summaries[-1].tokens if summaries else 0, boundary, prompted)
        + sum(_corrected(m.tokens, m.id, prompted) for m in prompted if m.id > boundary),
        system_tokens=system_tokens,
        boundary_tokens=before + summaries[-1].tokens if summaries else 0,
        said_tokens=before
        + (summaries[-1].tokens if summaries else 0)
        + sum(m.tokens for m in prompted if m.id > boundary),
        calibration_percent=_corrected(100, LAST, prompted),
        refused_percent=stored.refused_percent,
        refused_model=stored.refused_model,
    )


LAST = 2**60


def _corrected(tokens: int, at: int, prompted: Sequence[Message]) -> int:
    """By what the newest reply before this message tells of our estimates, if its prompt was long enough."""
    percent = 100
    for m in prompted:
        if m.id < at and m.usage is not None and m.usage.context_estimate >= 1000 and m.usage.prompt_tokens:
            percent = min(400, max(50, m.usage.prompt_tokens * 100 // m.usage.context_estimate))
    return tokens * percent // 100


def _without_what_followed(first: Message, prompted: Sequence[Message], boundary: int) -> int:
    """What the first reply since the boundary reported, less what was said between the two."""
    assert first.usage is not None
    between = sum(m.tokens for m in prompted if boundary < m.id < first.id)
    return max(1, first.usage.prompt_tokens - _corrected(between, first.id, prompted))
