"""Messages: what was said in a chat."""

from msgspec import UNSET

from chatd.api import bodies
from chatd.api.bodies import Nothing
from chatd.api.chats import NO_HISTORY, visible_chat
from chatd.api.router import Asked
from chatd.api.views import message_view, queued_view
from chatd.domain.chat import Chat
from chatd.domain.ids import BranchId, ChatId, MessageId
from chatd.errors import BadInput, NotFound
from chatd.storage.database import Database
from chatd.storage.read import LAST_ID, list_messages, read_snapshot


async def list_(asked: Asked[bodies.ListMessages, Nothing]) -> bodies.MessagePage:
    query = asked.query
    _check_window(query)
    chat = await visible_chat(asked)
    # The queue first: what enters history in between is then seen twice, and never missed.
    first_page = query.before_id is None and query.after_id is None
    queued = await _queue(asked.store.db, chat.id) if first_page else UNSET
    messages, has_more = await list_messages(
        asked.store.db,
        chat.id,
        before=MessageId(query.before_id) if query.before_id is not None else LAST_ID,
        after=MessageId(query.after_id) if query.after_id is not None else None,
        branch=_branch(chat, query.branch),
        limit=query.limit,
    )
    return bodies.MessagePage(
        messages=tuple(message_view(chat.id, message) for message in messages),
        has_more=has_more,
        queued_messages=queued,
    )


async def _queue(db: Database, chat_id: ChatId) -> tuple[bodies.QueuedView, ...]:
    snapshot = await read_snapshot(db, chat_id, since=NO_HISTORY)
    queue = snapshot.queue if snapshot is not None else None
    return tuple(queued_view(chat_id, row) for row in queue or ())


def _check_window(query: bodies.ListMessages) -> None:
    before, after = query.before_id, query.after_id
    if before is not None and after is not None and after >= before:
        raise BadInput(
            "empty_window",
            f"No message comes after {after} and before {before}.",
            field="after_id",
            hint="after_id must be less than before_id.",
        )


def _branch(chat: Chat, branch: int | None) -> BranchId | None:
    if branch is None:
        return None
    if not 1 <= branch <= chat.branch_count:
        raise NotFound(
            "branch_not_found",
            f"There is no branch {branch}; this chat has {chat.branch_count}.",
            field="branch",
        )
    return BranchId(branch)
