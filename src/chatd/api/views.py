"""What the domain knows of a chat, in the shapes that callers get. Nothing internal passes through here.

Each kind of view is made by a function of its own, which names every field.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import UNSET, Struct

from chatd.api import bodies
from chatd.domain.call import Call
from chatd.domain.chat import Chat
from chatd.domain.ids import Micros
from chatd.domain.message import Queued
from chatd.domain.people.permit import Relation, View
from chatd.domain.setup import ClientTool, Options, Setup
from chatd.kit.clock import rfc3339
from chatd.live.kinds import FULL, RESTRICTED, whole_queue
from chatd.live.shapes import Access, OwnerView, children_view, dirty_since, light_waiting_view
from chatd.storage.reads.around import Around
from chatd.storage.transactions.families import NO_CHILDREN, Children

ACCESS: Mapping[Relation, Access] = {
    Relation.OWNER: "owner",
    Relation.WRITER: "writer",
    Relation.READER: "reader",
    Relation.STEWARD: "steward",
    # Of those to whom a chat is nothing, administrators alone see something of it.
    Relation.STRANGER: "admin",
}


class Picture(Struct, frozen=True, kw_only=True):
    """What there is to be shown of a chat."""

    chat: Chat
    queue: Sequence[Queued] = ()
    waiting_for: Iterable[Call] = ()
    # None: it was not looked at who they are.
    children: Children | None = None
    # None: it is not told.
    setup: Setup | None = None
    # Whether what can be long is left out.
    is_listed: bool = False


class Eyes(Struct, frozen=True, kw_only=True):
    """Who looks at it, and what they know of it themselves."""

    view: View
    shows_queue: bool
    relation: Relation
    around: Around
    # Whether who does not read it is told its title.
    titled: bool = True


def shown(picture: Picture, eyes: Eyes) -> bodies.ChatView:
    """The chat as this caller sees it. Typed as the whole one: what others see has a part of its fields."""
    return cast("bodies.ChatView", _VIEWS[eyes.view](picture, eyes))


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


def full_view(picture: Picture, eyes: Eyes) -> bodies.ChatView:
    chat, waiting = picture.chat, light_waiting_view if picture.is_listed else FULL.waiting
    return bodies.ChatView(
        **_shared_fields(picture, eyes, waiting),
        last_error=FULL.failure(chat.last_error) if chat.last_error else None,
        retry=FULL.retry(chat.retry_state) if chat.retry_state else None,
        queue=whole_queue(chat.id, picture.queue),
        labels=chat.labels,
        key=chat.key,
        branch=chat.branch,
        branch_count=chat.branch_count,
        usage_total=chat.totals.usage,
        cost_micros_total=chat.totals.cost_micros,
        unpriced_calls=chat.totals.unpriced,
        context_dirty_since=dirty_since(chat),
        **(setup_fields(picture.setup) if picture.setup is not None else {}),
    )


def restricted_view(picture: Picture, eyes: Eyes) -> bodies.SharedChatView:
    chat = picture.chat
    return bodies.SharedChatView(
        **_shared_fields(picture, eyes, RESTRICTED.waiting),
        last_error=RESTRICTED.failure(chat.last_error) if chat.last_error else None,
        retry=RESTRICTED.retry(chat.retry_state) if chat.retry_state else None,
        queue=whole_queue(chat.id, picture.queue) if eyes.shows_queue else UNSET,
    )


def light_view(picture: Picture, eyes: Eyes) -> bodies.SharedChatView:
    """Nothing of what is said in it."""
    chat = picture.chat
    return bodies.SharedChatView(
        **_common_fields(chat, eyes),
        title=chat.title if eyes.titled else "",
        last_turn_summary=None,
        summary=None,
        pin_order=0,
        has_unread=False,
        last_read_message_id=0,
        muted=False,
        last_error=None,
        retry=None,
        queue_length=chat.queued,
        waiting_for=(),
        last_model=None,
        last_reasoning_effort=None,
        finish_reason=chat.finish_reason,
        last_message_id=None,
    )


_VIEWS: Mapping[View, Callable[[Picture, Eyes], bodies.SharedChatView]] = {
    View.FULL: full_view,
    View.RESTRICTED: restricted_view,
    View.LIGHT: light_view,
}


def _common_fields(chat: Chat, eyes: Eyes) -> dict[str, Any]:
    owner = eyes.around.owner
    return {
        "id": chat.id,
        "owner_id": chat.owner_id,
        "owner": OwnerView(id=chat.owner_id, name=owner.name, display_name=owner.display_name),
        "access": ACCESS[eyes.relation],
        "shared": eyes.around.shared,
        "title_by": chat.title_by,
        "status": chat.status,
        "archived": chat.archived,
        "temporary": chat.temporary,
        "created_at": rfc3339(chat.created_at),
        "updated_at": rfc3339(chat.updated_at),
        "parent_chat_id": chat.parent_id,
        "root_chat_id": chat.root_id,
        "agent_type": chat.agent_type,
        "snapshot_version": chat.versions.snapshot,
    }


def _shared_fields(
    picture: Picture, eyes: Eyes, waiting: Callable[[Call, Micros | None], Any]
) -> dict[str, Any]:
    """What the owner and those see alike with whom it was shared."""
    chat, marks = picture.chat, eyes.around.marks
    children = picture.children
    if children is None and not chat.children:
        # Who would have to be looked at is known only where there are none.
        children = NO_CHILDREN
    fields = _common_fields(chat, eyes)
    fields["title"] = chat.title
    fields["last_turn_summary"] = chat.last_turn_summary
    fields["summary"] = chat.summary
    fields["pin_order"] = marks.pin_order
    fields["has_unread"] = chat.is_unread_after(marks.read_id)
    fields["last_read_message_id"] = marks.read_id
    fields["muted"] = marks.muted
    fields["queue_length"] = chat.queued
    fields["waiting_for"] = (
        tuple(waiting(call, chat.deadline_at) for call in picture.waiting_for) if picture.waiting_for else ()
    )
    fields["last_model"] = chat.last_model
    fields["last_reasoning_effort"] = chat.last_effort
    fields["finish_reason"] = chat.finish_reason
    fields["children"] = children_view(children, waiting) if children is not None else UNSET
    fields["last_message_id"] = chat.projection.last_id or None
    return fields
