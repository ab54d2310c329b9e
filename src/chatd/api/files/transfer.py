"""Export and import: a chat as a file, and a file as a new chat.

What travels is what people see, with the chats that worked for this one. The model's own notes and its
provider's secrets stay; a summary is left out, because all that it sums up is there.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.chats.messages.carried_files import Luggage, files_for_export, keep, unpacked
from chatd.api.chats.messages.history import IMPORTED_CALLS_MAX, check_keys, check_order, history_of
from chatd.api.chats.permitted import permitted
from chatd.api.chats.showing import show_own
from chatd.api.files.markdown import written_out
from chatd.api.router import Asked, Download
from chatd.api.serving.intake import IMPORT_BYTES_MAX
from chatd.api.views import client_tool_inputs, options_input
from chatd.catalog.rules.prompts import cleaned
from chatd.domain.approvals.asked import ProposedPlan
from chatd.domain.approvals.asked_answers import PlanDecision
from chatd.domain.approvals.rule import ApprovalRequest
from chatd.domain.call import Plan
from chatd.domain.chat import Chat
from chatd.domain.ids import CallId, ChatId
from chatd.domain.message import Draft, Message, Visibility
from chatd.domain.part import ToolCall, files_in
from chatd.domain.people.audit import AuditDeed, chat_note
from chatd.domain.people.deeds import Deed
from chatd.domain.people.permit import View
from chatd.domain.profile.texts import TitleBy
from chatd.domain.setup import NO_SETUP, SetupChange
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.errors import NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.codec import encode
from chatd.kit.disposition import as_attachment
from chatd.kit.ids import new_id
from chatd.storage.database import Database
from chatd.storage.reads.plans import StoredPlan, read_plans
from chatd.storage.reads.read import Export, read_export
from chatd.storage.tables.audit import record
from chatd.storage.transactions.families import read_children
from chatd.storage.transactions.importing import import_family
from chatd.tools.asking.propose_plan import PROPOSE_PLAN

FORMAT: Final = "chatd-chat"
# Files of earlier versions can be imported.
VERSION: Final = 3

MEDIA_TYPES = ("application/json", "text/markdown; charset=utf-8")


async def export(asked: Asked[bodies.ExportChat, Nothing]) -> Download:
    seen = await permitted(asked)
    chat = seen.chat
    found = await read_export(asked.store.db, chat.id)
    if found is None:
        raise NotFound("chat_not_found", f"There is no chat {chat.id!r} any more.")
    note = chat_note(asked.by, AuditDeed.CHAT_EXPORTED, chat.id, {"format": asked.query.format})
    await asked.store.db.write(lambda tx: record(tx, note.by, note.entry))
    json, markdown = MEDIA_TYPES
    if asked.query.format == "markdown":
        data = written_out(found).encode("utf-8", "replace")
        return Download(data=data, media_type=markdown, headers=as_attachment(f"{chat.id}.md"))
    plans = await read_plans(asked.store.db, chat.id, also_left=asked.may(Deed.CHAT_PAST, seen))
    carry = carried if seen.view is View.FULL else carried_shared
    whole = replace(
        carry(found),
        plans=tuple(_carried_plan(each) for each in plans),
        children=await _carried_children(asked.store.db, chat, seen.view),
    )
    whole = replace(whole, files=await _carried_files(asked.store.db, whole))
    return Download(data=encode(whole), media_type=json, headers=as_attachment(f"{chat.id}.json"))


async def import_(asked: Asked[Nothing, bodies.CarriedChat]) -> bodies.ChatView:
    """A chat with all its messages, whose turn is over; or none."""
    body = asked.body
    everything = _messages_of(body)
    luggage = await unpacked(asked.store.db, asked.user.id, everything, body.files, field="messages")
    drafts = await history_of(body.messages, "messages", calls_max=IMPORTED_CALLS_MAX, luggage=luggage)
    await check_order(drafts, "messages")
    check_keys(drafts, "messages")
    command = CreateChat(
        id=ChatId(new_id()),
        owner_id=asked.user.id,
        messages=tuple(drafts),
        title=checks.title(body.title),
        title_by=TitleBy.PERSON,
        labels=checks.labels(body.labels),
        # A file of another server may have client tools of any name.
        setup=checks.setup(body, server_tools=()),
    )
    command = replace(command, plans=plans_of(body.plans, drafts))
    children = [await _child(command, n, each, luggage) for n, each in enumerate(body.children)]
    await keep(asked.store.db, asked.user.id, luggage, asked.server.file_room)
    done = await import_family(asked.store, command, children, by=asked.by)
    return await show_own(asked, done.locked)


async def _child(
    parent: CreateChat,
    number: int,
    child: bodies.CarriedChild,
    luggage: Luggage,
) -> CreateChat:
    place = f"children[{number}]"
    messages = f"{place}.messages"
    drafts = await history_of(child.messages, messages, calls_max=IMPORTED_CALLS_MAX, luggage=luggage)
    await check_order(drafts, messages)
    check_keys(drafts, messages)
    instructions = child.instructions
    return CreateChat(
        id=ChatId(new_id()),
        owner_id=parent.owner_id,
        messages=tuple(drafts),
        title=checks.title(child.title, field=f"{place}.title"),
        title_by=TitleBy.PERSON,
        setup=SetupChange(
            mode=child.mode,
            instructions=cleaned(instructions, field=f"{place}.instructions") if instructions else UNSET,
        ),
        parent_id=parent.id,
        root_id=parent.id,
        agent_type=child.agent_type,
    )


def plans_of(carried: Sequence[bodies.CarriedPlan], drafts: Sequence[Draft]) -> tuple[Plan, ...]:
    """How the calls that proposed plans are kept. Some models give calls of different messages the same id:
    of such a call it is not known which one is meant, and its plan is left out.
    """
    calls = [part for draft in drafts for part in draft.content if isinstance(part, ToolCall)]
    named = Counter(call.tool_call_id for call in calls)
    proposals = {call.tool_call_id for call in calls if call.tool_name == PROPOSE_PLAN}
    return tuple(
        Plan(
            call_id=CallId(each.tool_call_id),
            asks_person=True,
            reason=each.decision.value if each.decision is not None else None,
            request=ApprovalRequest(asked=ProposedPlan(version=each.version, text=each.text, diff=each.diff)),
        )
        for each in carried
        if each.tool_call_id in proposals and named[CallId(each.tool_call_id)] == 1
    )


def _carried_plan(stored: StoredPlan) -> bodies.CarriedPlan:
    return bodies.CarriedPlan(
        tool_call_id=stored.call.id,
        version=stored.plan.version,
        text=stored.plan.text,
        diff=stored.plan.diff,
        decision=next((each for each in PlanDecision if each == stored.call.reason), None),
    )


async def _carried_children(db: Database, chat: Chat, view: View) -> tuple[bodies.CarriedChild, ...]:
    """The oldest first. One that is deleted meanwhile is left out."""
    carry = _carried_child if view is View.FULL else _carried_shared_child
    children = await read_children(db, chat.id) if chat.children else ()
    oldest_first = sorted(children, key=lambda child: (child.created_at, child.id))
    found = [await read_export(db, child.id) for child in oldest_first]
    return tuple(carry(each) for each in found if each is not None)


def _carried_child(found: Export) -> bodies.CarriedChild:
    return bodies.CarriedChild(
        title=found.chat.title,
        agent_type=found.chat.agent_type,
        instructions=found.setup.instructions or UNSET,
        mode=found.setup.mode or UNSET,
        created_at=rfc3339(found.chat.created_at),
        messages=tuple(_carried(message) for message in found.messages),
    )


def _carried_shared_child(found: Export) -> bodies.CarriedChild:
    """As it is seen of a chat that was shared."""
    return bodies.CarriedChild(
        title=found.chat.title,
        agent_type=found.chat.agent_type,
        created_at=rfc3339(found.chat.created_at),
        messages=tuple(_carried_shared(message) for message in found.messages),
    )


async def _carried_files(db: Database, whole: bodies.CarriedChat) -> tuple[bodies.CarriedFile, ...]:
    contents = [message.content for message in _messages_of(whole)]
    if not files_in(contents):
        return ()
    return await files_for_export(db, contents, room_bytes=IMPORT_BYTES_MAX - len(encode(whole)))


def _messages_of(chat: bodies.CarriedChat) -> Iterator[bodies.CarriedMessage]:
    """Of the whole family."""
    for child in chat.children:
        yield from child.messages
    yield from chat.messages


def carried(found: Export) -> bodies.CarriedChat:
    chat = found.chat
    return bodies.CarriedChat(
        format=FORMAT,
        version=VERSION,
        title=chat.title,
        labels=chat.labels,
        client_tools=client_tool_inputs(found.setup.client_tools),
        instructions=found.setup.instructions or UNSET,
        options=options_input(found.setup.options) if found.setup.options != NO_SETUP.options else UNSET,
        client_deadline_seconds=_unless_default(found.setup.client_deadline_seconds),
        mode=found.setup.mode or UNSET,
        delegation=UNSET if found.setup.delegation else False,
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
        last_turn_summary=chat.label or UNSET,
        summary=chat.summary or UNSET,
        usage_total=msgspec.to_builtins(chat.totals.usage),
        cost_micros_total=chat.totals.cost_micros,
        unpriced_calls=chat.totals.unpriced,
        messages=tuple(_carried(message) for message in found.messages),
    )


def carried_shared(found: Export) -> bodies.CarriedChat:
    """A chat that was shared: what is said in it, and nothing of how its owner has set it up."""
    chat = found.chat
    return bodies.CarriedChat(
        format=FORMAT,
        version=VERSION,
        title=chat.title,
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
        last_turn_summary=chat.label or UNSET,
        summary=chat.summary or UNSET,
        messages=tuple(_carried_shared(message) for message in found.messages),
    )


def _unless_default(seconds: int | None) -> int | UnsetType | None:
    return seconds if seconds != NO_SETUP.client_deadline_seconds else UNSET


def _carried(message: Message) -> bodies.CarriedMessage:
    return bodies.CarriedMessage(
        role=message.role,
        content=message.content,
        for_people_only=message.visibility is Visibility.USER,
        model=message.model,
        reasoning_effort=message.effort,
        created_at=rfc3339(message.created_at),
        usage=msgspec.to_builtins(message.usage) if message.usage else None,
        runtime_ms=message.runtime_ms,
        cost_micros=message.cost.micros if message.cost else None,
    )


def _carried_shared(message: Message) -> bodies.CarriedMessage:
    """Without what it has cost."""
    return bodies.CarriedMessage(
        role=message.role,
        content=message.content,
        for_people_only=message.visibility is Visibility.USER,
        model=message.model,
        reasoning_effort=message.effort,
        created_at=rfc3339(message.created_at),
    )
