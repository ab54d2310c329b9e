"""chatd show: one chat's row, versions, queue, ledger and history, and what is being said in it.

The first tool when something is odd.
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import asdict

from chatd.cli.context import run_loop, settings_from
from chatd.cli.operate.being_said import put_together
from chatd.cli.out import say, say_json
from chatd.domain.approvals.rule import ApprovalRequest, KeptRule
from chatd.domain.call import Call, CallState, decision_of
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, UserId
from chatd.domain.message import Message, Queued, Role, Usage, Visibility
from chatd.domain.part import CallDecision, Content, Part, Reasoning, Text, ToolCall, ToolResult
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.usage.charge import Charge
from chatd.domain.workspace.context import Resource
from chatd.errors import NotFound
from chatd.kit.clock import SystemClock, rfc3339
from chatd.kit.codec import encode_text
from chatd.kit.text import is_plain, one_line, shortened
from chatd.live.episodes.episode import LivePart, ToolCallPiece, ToolResultPiece
from chatd.live.episodes.log import said_before
from chatd.live.viewer import SPEAKING
from chatd.storage.database import Database
from chatd.storage.migrate import check_schema
from chatd.storage.open import open_existing
from chatd.storage.reads.read import Everything, chats_beginning_with, read_everything

WIDTH = 100
# How many are named when the beginning of an id is not enough.
AMBIGUOUS = 5


def run(chat_id: str, flags: Mapping[str, object], *, as_json: bool) -> None:
    everything, being_said = run_loop(_read(settings_from(flags).database, ChatId(chat_id)))
    if as_json:
        say_json(asdict(everything) | {"being_said": being_said})
    else:
        say("\n".join(_page(everything, being_said)))


async def _read(url: str, chat_id: ChatId) -> tuple[Everything, tuple[LivePart, ...]]:
    async with open_existing(url, SystemClock()) as db:
        await check_schema(db)
        everything = await find(db, chat_id)
        return everything, await _being_said(db, everything.chat)


async def find(db: Database, chat_id: ChatId) -> Everything:
    """The chat of this id, or the only one whose id begins so. Raises NotFound."""
    found = await chats_beginning_with(db, chat_id, limit=AMBIGUOUS) if is_plain(chat_id) else ()
    # A whole id is that chat, even if others begin with it.
    named = chat_id if chat_id in found else found[0] if len(found) == 1 else None
    everything = await read_everything(db, named) if named is not None else None
    if everything is None:
        raise _not_found(chat_id, found)
    return everything


async def _being_said(db: Database, chat: Chat) -> tuple[LivePart, ...]:
    """By the newest attempt, or what a viewer still sees of the one before: all but the last second of it."""
    if chat.status not in SPEAKING:
        return ()
    _, spoken = await said_before(db, chat.id, chat.versions.history)
    return put_together([each.part for each in spoken])


def _not_found(chat_id: ChatId, found: tuple[ChatId, ...]) -> NotFound:
    if found:
        return NotFound("chat_not_unique", f"Several chats begin with {chat_id!r}: {', '.join(found)}.")
    return NotFound("chat_not_found", f"There is no chat {chat_id!r} in this database.")


def _page(everything: Everything, being_said: tuple[LivePart, ...]) -> Iterator[str]:
    chat = everything.chat
    names = {author.id: author.name for author in everything.authors}
    yield f"Chat {chat.id}"
    yield from _indented((*_facts(chat), *_cost(everything.messages, everything.charges)))
    if everything.children:
        yield from _section("Chats that work for it", (_child(child) for child in everything.children))
    yield from _section("Queue", (_queued(row, names) for row in everything.queue))
    yield from _section("Calls", (_call(call) for call in everything.calls))
    waiting = [call for call in everything.calls if call.state is CallState.NEEDS_APPROVAL]
    if waiting:
        asked = (line for call in waiting for line in _asked(call))
        yield from _section("Needs approval", asked, count=len(waiting))
    if everything.rules:
        yield from _section("Rules of this chat", (_rule(kept) for kept in everything.rules))
    if everything.charges:
        charges = (_charge(charge) for charge in everything.charges)
        yield from _section("Model calls that did not become a message", charges)
    yield from _section("History", (_message(message, names) for message in everything.messages))
    if being_said:
        yield from _section("Being said, and not saved yet", (_part(part) for part in being_said))
    yield from _section(
        "Branches", (f"{b.id} leaves {b.parent_id} at {b.fork_id}" for b in everything.branches)
    )
    yield from _section("Client tools", (_shown(tool.name) for tool in everything.setup.client_tools))
    yield from _section("Files", everything.files)
    if everything.resources:
        yield from _section("Told of its workspace", (_resource(each) for each in everything.resources))


def _child(chat: Chat) -> str:
    return f"{chat.id}  {chat.agent_type or AgentType.GENERAL}  {chat.situation}  {_shown(chat.title)}"


def _facts(chat: Chat) -> Iterator[str]:
    versions = chat.versions
    yield from _texts(chat)
    yield f"owner      {chat.owner_id}"
    yield f"situation  {chat.situation}"
    yield f"created    {rfc3339(chat.created_at)}"
    yield f"updated    {rfc3339(chat.updated_at)}"
    yield (
        f"versions   snapshot {versions.snapshot}, history {versions.history}, queue {versions.queue}, "
        f"retry {versions.retry}, attempt {versions.attempt}"
    )
    yield f"branch     {chat.branch} of {chat.branch_count}"
    driver = f"worker {chat.lease.worker_id}, runner {chat.lease.runner_id}" if chat.lease else "no worker"
    yield f"driven by  {driver}"
    if chat.parent_id is not None:
        yield f"works for  {chat.parent_id}, as {chat.agent_type or AgentType.GENERAL}"
    if chat.deadline_at is not None:
        yield f"deadline   {rfc3339(chat.deadline_at)}"
    if chat.finish_reason is not None:
        yield f"ended      {chat.finish_reason}"
    if chat.last_model is not None:
        yield f"model      {_shown(chat.last_model)}"
    yield from _context(chat)
    if chat.pin_order:
        yield f"pinned     {chat.pin_order}"
    for key, value in sorted(chat.labels.items()):
        yield f"label      {key}: {_shown(value)}"
    if chat.last_error is not None:
        yield f"error      {chat.last_error.kind}: {one_line(chat.last_error.message)}"
        if chat.last_error.detail:
            yield f"detail     {one_line(chat.last_error.detail)}"
    if chat.retry_state is not None:
        yield f"retry      attempt {chat.retry_state.attempt} at {chat.retry_state.retrying_at}"


def _context(chat: Chat) -> Iterator[str]:
    if (pinned := chat.context) is None:
        return
    since = pinned.dirty_since
    changed = f", which tells something else since {rfc3339(since)}" if since is not None else ""
    yield f"context    as of {rfc3339(pinned.at)}, of {_shown(pinned.workspace)}{changed}"


def _resource(resource: Resource) -> str:
    why = f": {_shown(resource.error)}" if resource.error else ""
    return f"{resource.kind:<16}  {_shown(resource.source)}  ({resource.status}{why})"


def _charge(charge: Charge) -> str:
    cost = "unpriced" if charge.cost is None else f"{charge.cost.micros / 1_000_000:.6f}"
    usage = charge.usage or Usage()
    return (
        f"{charge.operation} of {_shown(charge.model)}: {charge.fate}, {usage.prompt_tokens} tokens in, "
        f"{usage.output_tokens} out, {cost} (history {charge.history}, attempt {charge.attempt})"
    )


def _cost(messages: Iterable[Message], charges: Iterable[Charge]) -> Iterator[str]:
    """What the replies have cost, as far as it is known, and calls that did not become one."""
    # One that was interrupted has a price as well, which its provider never told.
    replies = [
        *(message.cost for message in messages if message.role is Role.ASSISTANT),
        *(charge.cost for charge in charges),
    ]
    unpriced = sum(cost is None for cost in replies)
    micros = sum(cost.micros for cost in replies if cost is not None)
    if unpriced < len(replies):
        yield f"cost       {micros / 1_000_000:.6f}" + (
            f" and {unpriced} unpriced {'reply' if unpriced == 1 else 'replies'}" if unpriced else ""
        )
    elif replies:
        yield "cost       unpriced"


def _texts(chat: Chat) -> Iterator[str]:
    yield f"title      {_shown(chat.title)} (by {chat.title_by})"
    if chat.label is not None:
        yield f"last turn  {_shown(chat.label)}"
    if chat.summary is not None:
        yield f"summary    {_shown(chat.summary)}"


def _section(title: str, lines: Iterable[str], *, count: int | None = None) -> Iterator[str]:
    """Where something takes several lines, `count` is how many there are."""
    found = list(lines)
    yield ""
    yield f"{title} ({len(found) if count is None else count})"
    yield from _indented(found)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _queued(row: Queued, names: Mapping[UserId, str]) -> str:
    way = "steer" if row.steered else "queue"
    by = f"(by {_shown(names[row.created_by])})  " if row.created_by in names else ""
    return f"{row.id:>5}  {way}  {by}{_said(row.content)}"


def _call(call: Call) -> str:
    decided = _decided(decision_of(call))
    since = f" at {rfc3339(call.started_at)}" if call.state is CallState.STARTED and call.started_at else ""
    facts = f"{call.kind}, {call.effect}, {call.state}{since}{decided}"
    return f"{call.message_id:>5}  {_shown(call.id)}  {_shown(call.tool)}  ({facts})"


def _asked(call: Call) -> Iterator[str]:
    """What the person who is asked is shown."""
    yield f"{_shown(call.id)}  {_shown(call.tool)}  {_shown(encode_text(call.args))}"
    request = call.request or ApprovalRequest()
    yield from (f"  runs    {_shown(' '.join(program))}" for program in request.programs)
    if request.unsure is not None:
        yield f"  unsure  {_shown(request.unsure)}"
    if request.danger is not None:
        yield f"  danger  {_shown(request.danger)}"
    yield from (f"  reads   {_shown(path)}" for path in request.reads)
    yield from (f"  writes  {_shown(path)}" for path in request.writes)
    yield from (f"  asks    {_shown(host)}" for host in request.hosts)
    scopes = " or ".join(request.scopes)
    yield from (f"  {scopes} would {_shown(str(rule))}" for rule in request.rules if scopes)
    yield from (f"  | {line}" for line in (request.preview or "").splitlines())


def _rule(kept: KeptRule) -> str:
    origin = kept.origin
    made = f", for call {_shown(origin.call_id)} of message {origin.message_id}" if origin else ""
    return f"{kept.id}  {_shown(str(kept.rule))}  (by {kept.created_by} at {rfc3339(kept.created_at)}{made})"


def _message(message: Message, names: Mapping[UserId, str]) -> str:
    by = names.get(message.created_by or UserId(""), "")
    marks = [
        mark
        for mark, holds in (
            # Where several people write.
            (f"by {_shown(by)}", bool(by)),
            (f"{message.visibility} only", message.visibility is not Visibility.BOTH),
            ("compressed", message.compressed),
            (f"left, in branch {message.branch}", message.deleted),
            # A chat may change it on the way.
            (_shown(message.model or ""), message.role is Role.ASSISTANT and message.model is not None),
        )
        if holds
    ]
    marked = f"({', '.join(marks)})  " if marks else ""
    return f"{message.id:>5}  {message.role:<9}  {marked}{_said(message.content)}"


def _said(content: Content) -> str:
    return " · ".join(_part(part) for part in content)


def _part(part: Part | LivePart) -> str:
    match part:
        case Text(text=text):
            return _shown(text)
        case Reasoning(text=text):
            return f"[thinks] {_shown(text)}"
        case ToolCall(tool_name=name, tool_call_id=call_id, args=args):
            return f"[calls {_shown(name)} {_shown(call_id)}] {_shown(encode_text(args))}"
        case ToolCallPiece(tool_name=name, tool_call_id=call_id, args_delta=args):
            return f"[begins to call {_shown(name)} {_shown(call_id)}] {_shown(args)}"
        case ToolResultPiece(tool_call_id=call_id, result_delta=output):
            return f"[shows {_shown(call_id)}] {_shown(output)}"
        case ToolResult(tool_call_id=call_id, result=result, is_error=is_error):
            word = "error" if is_error else "result"
            return f"[{word} {_shown(call_id)}{_known(part)}] {_shown(encode_text(result))}"
        case _:
            return _shown(encode_text(part))


def _known(part: ToolResult) -> str:
    """When a result was known, and how long its call took."""
    at = f" at {_shown(part.created_at)}" if part.created_at else ""
    took = f" after {part.duration_ms} ms" if part.duration_ms is not None else ""
    return f"{at}{took}{_decided(part.decision)}"


def _decided(decision: CallDecision | None) -> str:
    if decision is None:
        return ""
    word = "allowed" if decision.allowed else "denied"
    return f", {word} by {_shown(decision.by)}" + (f" at {_shown(decision.at)}" if decision.at else "")


def _shown(text: str) -> str:
    """On one line, not too long, and without anything that a terminal would obey."""
    return shortened(one_line(text), WIDTH)
