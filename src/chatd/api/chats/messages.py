"""Messages: what was said in a chat, and what is to be said next."""

from msgspec import UNSET

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.catalog.efforts import check_effort
from chatd.api.chats.chats import admitted, content_of, in_use, own_chat, transact_in_own_chat, visible_chat
from chatd.api.router import Asked
from chatd.domain.chat import Chat
from chatd.domain.ids import BranchId, MessageId
from chatd.domain.message import Draft, Role, text
from chatd.domain.transitions.edit_message import EditMessage
from chatd.domain.transitions.send_message import SendMessage
from chatd.errors import BadInput, NotFound
from chatd.live.shapes import message_view, queued_view
from chatd.storage.chunks import LAST_ID
from chatd.storage.read import list_messages, list_prompts
from chatd.storage.transact import transact

PROMPTS_DEFAULT = bodies.ListPrompts().limit


async def list_(asked: Asked[bodies.ListMessages, Nothing]) -> bodies.MessagePage:
    query = asked.query
    _check_window(query)
    chat = await visible_chat(asked)
    first_page = query.before_id is None and query.after_id is None
    page = await list_messages(
        asked.store.db,
        chat.id,
        before=MessageId(query.before_id) if query.before_id is not None else LAST_ID,
        after=MessageId(query.after_id) if query.after_id is not None else None,
        branch=_branch(chat, query.branch),
        with_queue=first_page,
        limit=query.limit,
    )
    return bodies.MessagePage(
        messages=tuple(message_view(chat.id, message) for message in page.messages),
        has_more=page.has_more,
        queued_messages=tuple(queued_view(chat.id, row) for row in page.queue) if first_page else UNSET,
    )


async def send(asked: Asked[Nothing, bodies.SendMessage]) -> bodies.Sent:
    body = asked.body
    message = Draft(
        role=Role.USER,
        content=await content_of(asked, body.content),
        created_by=asked.user.id,
        model=await admitted(asked, body.model) if body.model is not None else None,
        effort=body.reasoning_effort,
    )
    deed = "send messages"
    if message.effort is not None:
        chat = in_use(await own_chat(asked, deed))
        await check_effort(asked, message.effort, message.model or chat.last_model)
    done = await transact_in_own_chat(asked, deed, SendMessage(message=message, when=body.when))
    if done.enqueued:
        return bodies.Sent(queued=True, queued_message=queued_view(done.chat.id, done.enqueued[-1]))
    return bodies.Sent(queued=False, message=message_view(done.chat.id, done.appended[-1]))


async def edit(asked: Asked[Nothing, bodies.EditMessage]) -> bodies.Edited:
    body = asked.body
    command = EditMessage(
        message_id=MessageId(checks.number(asked.path["message_id"], "message_id")),
        content=await content_of(asked, body.content),
        created_by=asked.user.id,
        model=await admitted(asked, body.model) if body.model is not None else None,
        effort=body.reasoning_effort,
        queue=body.queue,
    )
    chat = in_use(await own_chat(asked, "edit messages"))
    await check_effort(asked, command.effort, command.model or chat.last_model)
    done = await transact(asked.store, chat.id, command)
    return bodies.Edited(
        message=message_view(chat.id, done.appended[-1]),
        deleted_message_ids=done.left,
        dropped_queued_ids=tuple(row for outcome in done.outcomes for row in outcome.dequeued),
        branch=done.chat.branch,
    )


async def prompts(asked: Asked[bodies.ListPrompts, Nothing]) -> bodies.PromptList:
    chat = await visible_chat(asked)
    found = await list_prompts(asked.store.db, chat.id, limit=asked.query.limit or PROMPTS_DEFAULT)
    views = [bodies.PromptView(id=message.id, text=words) for message in found if (words := text(message))]
    return bodies.PromptList(prompts=tuple(views))


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
