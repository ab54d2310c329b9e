"""Columns ↔ domain values. The order is that of the fragments in `queries/`."""

from collections.abc import Sequence
from typing import Any, TypeVar

from chatd.domain.approvals.rule import ApprovalRequest, KeptRule, Origin, Rule
from chatd.domain.branch import Branch
from chatd.domain.call import Call, CallResult, CallState, Effect, Kind
from chatd.domain.chat import Chat, Failure, Lease, Reason, RetryState, Status
from chatd.domain.decision.locked import MessageHead
from chatd.domain.decision.projection import Projection
from chatd.domain.decision.versions import Versions
from chatd.domain.ids import CallId, ChatId, MessageId, Micros
from chatd.domain.message import Cost, Effort, Message, Queued, Role, Usage, Visibility
from chatd.domain.part import Content
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.texts import TitleBy, TurnLabel
from chatd.domain.setup import NO_SETUP, Setup, SetupChange
from chatd.domain.turn_end import TurnEnd
from chatd.domain.usage.charge import Charge, Fate
from chatd.domain.usage.totals import Totals
from chatd.domain.workspace.context import Pinned, Resource, ResourceKind, ResourceStatus
from chatd.kit.codec import Decoder, encode_text, from_column, to_column
from chatd.storage.database import Row

T = TypeVar("T")

# What a stored `content` means. A newer number was written by a newer program.
CONTENT_VERSION = 1

_failure = Decoder(Failure)
_retry_state = Decoder(RetryState)
_projection = Decoder(Projection)
_totals = Decoder(Totals)
_labels = Decoder(dict[str, str])
_content: Decoder[Content] = Decoder(Content)
_usage = Decoder(Usage)
_result = Decoder(CallResult)
_setup = Decoder(Setup)
_setup_change = Decoder(SetupChange)
_turn_end = Decoder(TurnEnd)
_pinned = Decoder(Pinned)
_turn_label = Decoder(TurnLabel)
_request = Decoder(ApprovalRequest)
_rule = Decoder(Rule)
_json: Decoder[Any] = Decoder(object)


def chat_of(row: Row) -> Chat:
    (
        id_, owner_id, created_at, updated_at,
        status, archived, last_error, retry_state, deadline_at, compaction_requested_at,
        worker_id, runner_id,
        snapshot, history, queue, retry, attempt,
        projection, queued, open_calls,
        branch, branch_count, last_number, last_model, last_effort, finish_reason, totals,
        setup, context, parent_id, root_id, agent_type, title, labels, pin_order, key, temporary,
        title_by, turn_label, summary, read_id, children, service_id, access,
    ) = row  # fmt: skip
    return Chat(
        id=id_,
        owner_id=owner_id,
        created_at=created_at,
        updated_at=updated_at,
        status=Status(status),
        archived=bool(archived),
        last_error=_maybe(_failure, last_error),
        retry_state=_maybe(_retry_state, retry_state),
        deadline_at=deadline_at,
        compaction_requested_at=compaction_requested_at,
        lease=Lease(worker_id, runner_id) if worker_id is not None else None,
        versions=Versions(
            snapshot=snapshot,
            history=history,
            queue=queue,
            retry=retry,
            attempt=attempt,
            setup=setup,
            access=access,
        ),
        projection=_projection.decode(projection),
        queued=queued,
        open_calls=open_calls,
        branch=branch,
        branch_count=branch_count,
        last_number=last_number,
        last_model=last_model,
        last_effort=Effort(last_effort) if last_effort else None,
        finish_reason=Reason(finish_reason) if finish_reason else None,
        totals=_totals.decode(totals),
        context=_maybe(_pinned, context),
        parent_id=parent_id,
        root_id=root_id,
        agent_type=AgentType(agent_type) if agent_type else None,
        title=title,
        title_by=TitleBy(title_by),
        labels=_labels.decode(labels),
        pin_order=pin_order,
        key=key,
        temporary=bool(temporary),
        turn_label=_maybe(_turn_label, turn_label),
        summary=summary,
        read_id=read_id,
        children=children,
        service_id=service_id,
    )


def execution_values(chat: Chat) -> tuple[object, ...]:
    """What transitions change, from `status` to `context`."""
    versions, lease = chat.versions, chat.lease
    return (
        chat.status.value, chat.archived, _json_or_null(chat.last_error), _json_or_null(chat.retry_state),
        chat.deadline_at, chat.compaction_requested_at,
        lease.worker_id if lease else None, lease.runner_id if lease else None,
        versions.snapshot, versions.history, versions.queue, versions.retry, versions.attempt,
        encode_text(chat.projection), chat.queued, chat.open_calls,
        chat.branch, chat.branch_count, chat.last_number, chat.last_model, chat.last_effort,
        chat.finish_reason, encode_text(chat.totals), versions.setup, _json_or_null(chat.context),
    )  # fmt: skip


def new_chat_values(chat: Chat, digest: str) -> tuple[object, ...]:
    return (
        chat.id, chat.owner_id, chat.created_at, chat.updated_at,
        *execution_values(chat),
        chat.parent_id, chat.root_id, chat.agent_type, chat.title, encode_text(chat.labels), chat.pin_order,
        chat.temporary, chat.title.casefold(), chat.key, digest if chat.key is not None else None,
        chat.title_by.value,
    )  # fmt: skip


def message_of(row: Row) -> Message:
    """From the public columns, or from those and `internal`."""
    (
        id_, role, content, content_version, visibility, compressed, deleted, revision, branch,
        model, effort, created_by, usage, runtime_ms, ends_turn, advisor_uses, tokens, created_at,
        first_ms, cost_micros, cost_source, paused, cut_off, key,
        history_version, generation_attempt, turn_end, *internal,
    ) = row  # fmt: skip
    assert content_version == CONTENT_VERSION, (
        f"message {id_} has content of the unknown version {content_version}"
    )
    return Message(
        id=id_,
        role=Role(role),
        content=_content.decode(content),
        visibility=Visibility(visibility),
        compressed=bool(compressed),
        deleted=bool(deleted),
        revision=revision,
        branch=branch,
        model=model,
        effort=Effort(effort) if effort else None,
        created_by=created_by,
        key=key,
        usage=_maybe(_usage, usage),
        runtime_ms=runtime_ms,
        first_ms=first_ms,
        cost=Cost(micros=cost_micros, source=cost_source) if cost_micros is not None else None,
        paused=bool(paused),
        cut_off=bool(cut_off),
        ends_turn=bool(ends_turn),
        advisor_uses=advisor_uses,
        tokens=tokens,
        created_at=created_at,
        history_version=history_version,
        generation_attempt=generation_attempt,
        turn_end=_maybe(_turn_end, turn_end),
        internal=_maybe(_json, internal[0]) if internal else None,
    )


def message_values(chat_id: ChatId, message: Message) -> Sequence[object]:
    cost = message.cost
    return (
        chat_id, message.id, message.role.value, encode_text(message.content), CONTENT_VERSION,
        message.visibility.value, message.compressed, message.deleted, message.revision, message.branch,
        message.model, message.effort, message.created_by, _json_or_null(message.usage), message.runtime_ms,
        message.ends_turn, message.advisor_uses, message.tokens, message.created_at,
        _json_or_null(message.internal), message.first_ms,
        *((cost.micros, cost.source, _json_or_null(cost.basis)) if cost else (None, None, None)),
        message.paused, message.cut_off, message.key,
        message.history_version, message.generation_attempt, turn_end_value(message.turn_end),
    )  # fmt: skip


def charge_values(chat_id: ChatId, now: Micros, charge: Charge) -> Sequence[object]:
    cost = charge.cost
    return (
        chat_id, charge.history, charge.attempt, charge.number, now, charge.model, charge.operation,
        charge.fate.value, _json_or_null(charge.usage),
        *((cost.micros, cost.source, _json_or_null(cost.basis)) if cost else (None, None, None)),
    )  # fmt: skip


def charge_of(row: Row) -> Charge:
    history, attempt, number, model, operation, fate, usage, cost_micros, cost_source = row
    return Charge(
        history=history,
        attempt=attempt,
        number=number,
        model=model,
        operation=operation,
        fate=Fate(fate),
        usage=_maybe(_usage, usage),
        cost=Cost(micros=cost_micros, source=cost_source) if cost_micros is not None else None,
    )


def content_of(column: str) -> Content:
    return _content.decode(column)


def setup_of(row: Row | None) -> Setup:
    """A chat that is set up with nothing has no row."""
    return _setup.decode(row[0]) if row is not None else NO_SETUP


def resource_of(row: Row) -> Resource:
    kind, source, status, size_bytes, error, skill_name, skill_description, text = row
    return Resource(
        kind=ResourceKind(kind),
        source=source,
        status=ResourceStatus(status),
        size_bytes=size_bytes,
        error=error,
        skill_name=skill_name,
        skill_description=skill_description,
        text=text,
    )


def resource_values(chat_id: ChatId, ordinal: int, resource: Resource) -> Sequence[object]:
    return (
        chat_id, ordinal, resource.kind.value, resource.source, resource.status.value, resource.size_bytes,
        resource.error, resource.skill_name, resource.skill_description, resource.text,
    )  # fmt: skip


def head_of(row: Row) -> MessageHead:
    (
        id_, role, visibility, compressed, tokens, usage, ends_turn, advisor_uses, paused, cut_off,
        model, effort, created_by, turn_end,
    ) = row  # fmt: skip
    return MessageHead(
        id=id_,
        role=Role(role),
        visibility=Visibility(visibility),
        compressed=bool(compressed),
        tokens=tokens,
        usage=_maybe(_usage, usage),
        ends_turn=bool(ends_turn),
        advisor_uses=advisor_uses,
        paused=bool(paused),
        cut_off=bool(cut_off),
        model=model,
        effort=Effort(effort) if effort else None,
        created_by=created_by,
        turn_end=_maybe(_turn_end, turn_end),
    )


def turn_label_value(label: TurnLabel | None) -> str | None:
    return _json_or_null(label)


def turn_end_value(end: TurnEnd | None) -> str | None:
    return _json_or_null(end)


def queued_of(row: Row) -> Queued:
    id_, content, created_by, created_at, position, steered, model, effort, key, setup = row
    return Queued(
        id=id_,
        content=_content.decode(content),
        created_by=created_by,
        created_at=created_at,
        position=position,
        steered=bool(steered),
        model=model,
        effort=Effort(effort) if effort else None,
        key=key,
        setup=_maybe(_setup_change, setup),
    )


def queued_values(chat_id: ChatId, row: Queued) -> Sequence[object]:
    return (
        chat_id, row.id, encode_text(row.content), row.created_by, row.created_at, row.position,
        row.steered, row.model, row.effort, row.key, _json_or_null(row.setup),
    )  # fmt: skip


def call_of(row: Row) -> Call:
    (
        message_id, id_, ordinal, tool, kind, effect, state, args, created_at, result,
        decided_by, reason, runner_id, started_at, finished_at, answered_at, request,
        decided_at,
    ) = row  # fmt: skip
    return Call(
        message_id=message_id,
        id=from_column(id_),  # type: ignore[arg-type]  # a CallId is what was stored
        ordinal=ordinal,
        tool=from_column(tool),
        kind=Kind(kind),
        effect=Effect(effect),
        state=CallState(state),
        args=_json.decode(args),
        created_at=created_at,
        result=_maybe(_result, result),
        decided_by=decided_by,
        decided_at=decided_at,
        reason=from_column(reason) if reason is not None else None,
        runner_id=runner_id,
        started_at=started_at,
        finished_at=finished_at,
        answered_at=answered_at,
        request=_maybe(_request, request),
    )


def new_call_values(chat_id: ChatId, call: Call) -> Sequence[object]:
    return (
        chat_id, call.message_id, to_column(call.id), call.ordinal, to_column(call.tool),
        call.kind.value, call.effect.value, call.state.value, encode_text(call.args), call.created_at,
        *_call_progress(call),
    )  # fmt: skip


def call_values(chat_id: ChatId, call: Call) -> Sequence[object]:
    return chat_id, call.message_id, to_column(call.id), call.state.value, *_call_progress(call)


def _call_progress(call: Call) -> Sequence[object]:
    reason = to_column(call.reason) if call.reason is not None else None
    return (
        _json_or_null(call.result), call.decided_by, reason, call.runner_id,
        call.started_at, call.finished_at, call.answered_at, _json_or_null(call.request),
        call.decided_at,
    )  # fmt: skip


def rule_of(row: Row) -> KeptRule:
    rule, created_at, created_by, chat_id, message_id, call_id = row
    origin = None
    if chat_id is not None:
        origin = Origin(
            chat_id=ChatId(chat_id), message_id=MessageId(message_id), call_id=CallId(from_column(call_id))
        )
    return KeptRule(rule=_rule.decode(rule), created_at=created_at, created_by=created_by, origin=origin)


def plain_rule_of(row: Row) -> Rule:
    return _rule.decode(row[0])


def rule_values(position: int, kept: KeptRule) -> Sequence[object]:
    origin = kept.origin
    return (
        position, encode_text(kept.rule), kept.created_at, kept.created_by,
        *((origin.chat_id, origin.message_id, to_column(origin.call_id)) if origin else (None, None, None)),
    )  # fmt: skip


def branch_of(row: Row) -> Branch:
    id_, parent_id, fork_id, created_at = row
    return Branch(id=id_, parent_id=parent_id, fork_id=fork_id, created_at=created_at)


def _maybe(decoder: Decoder[T], text: str | None) -> T | None:
    return decoder.decode(text) if text is not None else None


def _json_or_null(value: object) -> str | None:
    return encode_text(value) if value is not None else None
