"""Export and import: a chat as a file, and a file as a new chat.

What travels is what people see. The model's own notes, its provider's secrets and the work of
other chats stay; a summary is left out, because all that it sums up is there.
"""

from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.chats.chats import visible_chat
from chatd.api.chats.messages.history import IMPORTED_CALLS_MAX, check_keys, check_order, history_of
from chatd.api.files.disposition import as_attachment
from chatd.api.files.markdown import written_out
from chatd.api.router import Asked, Download
from chatd.api.views import client_tool_inputs, locked_view, options_input
from chatd.domain.ids import ChatId
from chatd.domain.message import Message, Visibility
from chatd.domain.profile.texts import TitleBy
from chatd.domain.setup import NO_SETUP
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.errors import NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.codec import encode
from chatd.kit.ids import new_id
from chatd.storage.importing import import_chat
from chatd.storage.read import Export, read_export

FORMAT: Final = "chatd-chat"
VERSION: Final = 1

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
    """A chat with all its messages, whose turn is over; or none."""
    body = asked.body
    drafts = await history_of(asked, body.messages, "messages", calls_max=IMPORTED_CALLS_MAX)
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
    done = await import_chat(asked.store, command)
    return locked_view(done.locked)


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
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
        last_turn_summary=chat.label or UNSET,
        summary=chat.summary or UNSET,
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
