"""What the domain knows, in the shapes that callers get. Nothing internal passes through here."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from chatd.api import bodies
from chatd.domain.call import Call, awaits_action
from chatd.domain.chat import Chat
from chatd.domain.decision.locked import LockedChat
from chatd.domain.message import Queued
from chatd.domain.setup import NO_SETUP, ClientTool, Options, Setup
from chatd.kit.clock import rfc3339
from chatd.live.shapes import (
    children_view,
    dirty_since,
    failure_view,
    light_waiting_view,
    queued_view,
    retry_view,
    waiting_view,
)
from chatd.storage.transactions.families import NO_CHILDREN, Children


def locked_view(locked: LockedChat) -> bodies.ChatView:
    """The chat as a transaction left it."""
    was_read = locked.setup is not None or locked.chat.versions.setup == 0
    return chat_view(
        locked.chat,
        locked.queue,
        (c for c in locked.calls if awaits_action(c)),
        (locked.setup or NO_SETUP) if was_read else None,
    )


def setup_fields(setup: Setup) -> dict[str, Any]:
    """What a chat is set up with, as fields of its view."""
    return {
        "instructions": setup.instructions,
        "client_tools": client_tool_inputs(setup.client_tools),
        "client_deadline_seconds": setup.client_deadline_seconds,
        "options": options_input(setup.options),
        "workspace": setup.workspace,
        "mcp_servers": setup.mcp_servers,
        "mode": setup.mode,
        "delegation": setup.delegation,
    }


def options_input(options: Options) -> bodies.OptionsInput:
    """As the caller gave them."""
    return msgspec.convert(options, bodies.OptionsInput, from_attributes=True)


def client_tool_inputs(tools: Iterable[ClientTool]) -> tuple[bodies.ClientToolInput, ...]:
    """As the caller declared them."""
    return tuple(
        bodies.ClientToolInput(name=tool.name, description=tool.description, input_schema=tool.input_schema)
        for tool in tools
    )


def listed_view(
    chat: Chat, queue: Iterable[Queued], waiting_for: Iterable[Call], children: Children
) -> bodies.ChatView:
    """For lists: without what can be long."""
    view = chat_view(chat, queue, ())
    return replace(
        view,
        waiting_for=tuple(light_waiting_view(call, chat.deadline_at) for call in waiting_for),
        children=children_view(children, light_waiting_view),
    )


def chat_view(
    chat: Chat, queue: Iterable[Queued], waiting_for: Iterable[Call], setup: Setup | None = None
) -> bodies.ChatView:
    return bodies.ChatView(
        id=chat.id,
        owner_id=chat.owner_id,
        title=chat.title,
        title_by=chat.title_by,
        last_turn_summary=chat.last_turn_summary,
        summary=chat.summary,
        status=chat.status,
        archived=chat.archived,
        labels=chat.labels,
        key=chat.key,
        temporary=chat.temporary,
        pin_order=chat.pin_order,
        has_unread=chat.has_unread,
        last_read_message_id=chat.read_id,
        last_error=failure_view(chat.last_error) if chat.last_error else None,
        retry=retry_view(chat.retry_state) if chat.retry_state else None,
        queue=tuple(queued_view(chat.id, row) for row in queue),
        waiting_for=tuple(waiting_view(call, chat.deadline_at) for call in waiting_for),
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
        last_model=chat.last_model,
        last_reasoning_effort=chat.last_effort,
        finish_reason=chat.finish_reason,
        parent_chat_id=chat.parent_id,
        root_chat_id=chat.root_id,
        agent_type=chat.agent_type,
        # Who would have to be looked at is known only where there are none.
        children=UNSET if chat.children else children_view(NO_CHILDREN, waiting_view),
        branch=chat.branch,
        branch_count=chat.branch_count,
        snapshot_version=chat.versions.snapshot,
        last_message_id=chat.projection.last_id or None,
        usage_total=chat.totals.usage,
        cost_micros_total=chat.totals.cost_micros,
        unpriced_calls=chat.totals.unpriced,
        context_dirty_since=dirty_since(chat),
        **(setup_fields(setup) if setup is not None else {}),
    )
