"""Export and import: a chat as a file, and a file as a new chat.

What travels is what people see. The model's own notes, its provider's secrets and the work of
other chats stay; a summary is left out, because all that it sums up is there.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.chats.chats import visible_chat
from chatd.api.files.disposition import as_attachment
from chatd.api.files.markdown import written_out
from chatd.api.router import Asked, Download
from chatd.api.views import client_tool_inputs, locked_view
from chatd.domain.ids import CallId, ChatId, FileId
from chatd.domain.limits import CALLS_PER_MESSAGE_MAX
from chatd.domain.message import Draft, Message, Role, Visibility
from chatd.domain.part import Content, File, FileReference, Part, ToolCall, ToolResult, files_in
from chatd.domain.setup import NO_SETUP
from chatd.domain.transitions.create_chat import CreateChat
from chatd.domain.transitions.finish_turn import FinishTurn
from chatd.errors import BadInput, NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.codec import encode
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.files import media_types
from chatd.storage.read import Export, read_export
from chatd.storage.transact import create_chat

P = TypeVar("P", ToolCall, ToolResult)

FORMAT: Final = "chatd-chat"
VERSION: Final = 1

# Of one import, whose rows are written in one transaction that others wait for.
IMPORTED_CALLS_MAX = 2000
# Most of them are only named in the new chat, which refers to no more than any other.
IMPORTED_FILES_MAX = 1000
# Messages that are looked at before others have a turn of the event loop.
CHECKED_AT_ONCE_MAX = 50

MEDIA_TYPES = ("application/json", "text/markdown; charset=utf-8")


async def export(asked: Asked[bodies.ExportChat, Nothing]) -> Download:
    chat = await visible_chat(asked)
    found = await read_export(asked.store.db, chat.id)
    if found is None:
        raise NotFound("chat_not_found", f"There is no chat {chat.id!r} any more.")
    json, markdown = MEDIA_TYPES
    if asked.query.format == "markdown":
        data = written_out(found).encode("utf-8", "replace")
        return Download(data=data, media_type=markdown, headers=as_attachment(f"{chat.id}.md"))
    return Download(data=encode(carried(found)), media_type=json, headers=as_attachment(f"{chat.id}.json"))


async def import_(asked: Asked[Nothing, bodies.CarriedChat]) -> bodies.ChatView:
    """Goes through the one door: the chat is created with its messages and its turn is over, or nothing."""
    body = asked.body
    drafts = await _drafts(body.messages)
    _check_count("tool calls", sum(len(_parts(draft, ToolCall)) for draft in drafts), IMPORTED_CALLS_MAX)
    _check_order(drafts)
    mentioned = [file for file in files_in(draft.content for draft in drafts) if is_plain(file)]
    _check_count("files", len(mentioned), IMPORTED_FILES_MAX)
    known = await media_types(asked.store.db, asked.user.id, mentioned)
    command = CreateChat(
        id=ChatId(new_id()),
        owner_id=asked.user.id,
        messages=tuple(replace(draft, content=_without(draft.content, known)) for draft in drafts),
        title=checks.title(body.title),
        labels=checks.labels(body.labels),
        # A file of another server may have client tools of any name.
        setup=checks.setup(body, server_tools=()),
    )
    done = await create_chat(asked.store, command, FinishTurn())
    return locked_view(done.locked)


async def _drafts(messages: Sequence[bodies.CarriedMessage]) -> list[Draft]:
    drafts = []
    for index, message in enumerate(messages):
        if index % CHECKED_AT_ONCE_MAX == CHECKED_AT_ONCE_MAX - 1:
            await asyncio.sleep(0)
        drafts.append(_draft(message, index))
    return drafts


def carried(found: Export) -> bodies.CarriedChat:
    chat = found.chat
    return bodies.CarriedChat(
        format=FORMAT,
        version=VERSION,
        title=chat.title,
        labels=chat.labels,
        client_tools=client_tool_inputs(found.setup.client_tools),
        instructions=found.setup.instructions or UNSET,
        client_deadline_seconds=_unless_default(found.setup.client_deadline_seconds),
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
        usage_total=msgspec.to_builtins(chat.totals.usage),
        cost_micros_total=chat.totals.cost_micros,
        unpriced_calls=chat.totals.unpriced,
        messages=tuple(_carried(message) for message in found.messages),
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


def _draft(message: bodies.CarriedMessage, index: int) -> Draft:
    field = f"messages[{index}]"
    if not message.content:
        raise BadInput("no_content", f"`{field}` has no parts.", field=f"{field}.content")
    calls = sum(isinstance(part, ToolCall) for part in message.content)
    _check_count("tool calls", calls, CALLS_PER_MESSAGE_MAX, f"{field}.content")
    for number, part in enumerate(message.content):
        _check_part(part, message.role, f"{field}.content[{number}]")
    return Draft(
        role=message.role,
        content=message.content,
        visibility=Visibility.USER if message.for_people_only else Visibility.BOTH,
        model=checks.plain(message.model, f"{field}.model") if message.model is not None else None,
        effort=message.reasoning_effort,
    )


def _check_count(what: str, count: int, most: int, field: str = "messages") -> None:
    if count > most:
        raise BadInput("too_many_parts", f"`{field}` has {count} {what}; at most {most} fit.", field=field)


def _check_part(part: Part, role: Role, field: str) -> None:
    match part:
        case ToolCall(args=args):
            if role is not Role.ASSISTANT:
                raise BadInput(
                    "misplaced_part", f"`{field}`: only the assistant makes tool calls.", field=field
                )
            checks.not_too_deep(args, f"{field}.args")
        case ToolResult(result=result):
            if role not in (Role.TOOL, Role.ASSISTANT):
                raise BadInput(
                    "misplaced_part", f"`{field}`: a {role} message has no tool results.", field=field
                )
            checks.not_too_deep(result, f"{field}.result")
        case _:
            pass


def _check_order(drafts: Sequence[Draft]) -> None:
    """The rules of a history, as errors of the file: until a call has its result, only results may follow."""
    if not any(draft.role is Role.USER for draft in drafts):
        raise BadInput("no_user_message", "In this chat no user says anything.", field="messages")
    owed: set[CallId] = set()
    for index, draft in enumerate(drafts):
        field = f"messages[{index}]"
        if owed and draft.role in (Role.USER, Role.ASSISTANT):
            raise BadInput(
                "unanswered_calls", f"`{field}` comes before the results of the tool calls.", field=field
            )
        for result in _parts(draft, ToolResult) if draft.role is Role.TOOL else ():
            if result.tool_call_id not in owed:
                raise BadInput(
                    "unexpected_result", f"`{field}` has a result that no tool call waits for.", field=field
                )
            owed.discard(result.tool_call_id)
        made = _parts(draft, ToolCall)
        if len({call.tool_call_id for call in made}) < len(made):
            raise BadInput("duplicate_call", f"Two tool calls of `{field}` have one id.", field=field)
        inside = (
            {r.tool_call_id for r in _parts(draft, ToolResult)} if draft.role is Role.ASSISTANT else set()
        )
        owed |= {c.tool_call_id for c in made if not c.provider_executed and c.tool_call_id not in inside}


def _parts(draft: Draft, kind: type[P]) -> list[P]:
    return [part for part in draft.content if isinstance(part, kind)]


def _without(content: Content, known: Iterable[FileId]) -> Content:
    """A file that the importing user does not have is still mentioned, by its name."""
    return tuple(
        FileReference(file_name=part.name or part.file_id)
        if isinstance(part, File) and part.file_id not in known
        else part
        for part in content
    )
