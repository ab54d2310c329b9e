"""Messages: what was said in a chat, and what is to be said next."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.catalog.efforts import check_effort
from chatd.api.catalog.server_tools import NONE, may_collide, server_tools_in
from chatd.api.chats.chats import admitted, content_of
from chatd.api.chats.keys import answer_once, check_same, digest_of
from chatd.api.chats.mcp_selection import with_mcp_servers
from chatd.api.chats.permitted import in_use, permitted, permitted_chat, transact_permitted
from chatd.api.router import Asked
from chatd.api.serving.callers.permits import Seen
from chatd.domain.call import Call
from chatd.domain.chat import Chat
from chatd.domain.ids import BranchId, ChatId, MessageId, QueuedId
from chatd.domain.message import Draft, Message, Queued, Role, text
from chatd.domain.people.permit import Relation
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.errors import BadInput, NotFound
from chatd.kit.text import is_plain
from chatd.live.kinds import FULL, RESTRICTED, SHAPES, with_queue
from chatd.live.shapes import MessageView, message_view, open_call_view, participants_view, queued_view
from chatd.storage.reads.authors import authors_of, read_names
from chatd.storage.reads.chunks import LAST_ID
from chatd.storage.reads.read import (
    UsedKey,
    list_messages,
    list_prompts,
    read_message_key,
    read_message_of_key,
)

PROMPTS_DEFAULT = bodies.ListPrompts().limit


async def list_(asked: Asked[bodies.ListMessages, Nothing]) -> bodies.MessagePage:
    query = asked.query
    _check_window(query)
    seen = await permitted(asked)
    chat = seen.chat
    first_page = query.before_id is None and query.after_id is None
    page = await list_messages(
        asked.store.db,
        chat.id,
        before=MessageId(query.before_id) if query.before_id is not None else LAST_ID,
        after=MessageId(query.after_id) if query.after_id is not None else None,
        branch=_branch(chat, query.branch),
        with_queue=first_page,
        with_calls=chat.open_calls > 0,
        limit=query.limit,
    )
    shapes = with_queue(SHAPES[seen.view], shown=seen.shows_queue)
    waiting = page.queue if seen.shows_queue else ()
    authors = await read_names(asked.store.db, authors_of(chat.owner_id, page.messages, waiting))
    return bodies.MessagePage(
        messages=tuple(
            _with_open_calls(shapes.message(chat.id, message), page.open_calls) for message in page.messages
        ),
        has_more=page.has_more,
        participants=participants_view(authors) or UNSET,
        queued_messages=shapes.queue(chat.id, page.queue) if first_page else UNSET,
        queue_length=len(page.queue) if first_page and not seen.shows_queue else UNSET,
    )


def _with_open_calls(view: MessageView, calls: Sequence[Call]) -> MessageView:
    found = tuple(open_call_view(call) for call in calls if call.message_id == view.id)
    return replace(view, open_calls=found) if found else view


async def send(asked: Asked[Nothing, bodies.SendMessage]) -> bodies.Sent:
    async def find(key: str) -> bodies.Sent | None:
        chat_id = ChatId(asked.path["chat_id"])
        used = await read_message_key(asked.store.db, chat_id, key) if is_plain(chat_id) else None
        if used is None:
            return None
        seen = await permitted(asked)
        check_same(key, used.digest, asked.body)
        return await _sent_before(asked, seen, key, used)

    return await answer_once(checks.key(asked.body.key), find, lambda: _send(asked))


async def _sent_before(
    asked: Asked[Nothing, bodies.SendMessage], seen: Seen, key: str, used: UsedKey
) -> bodies.Sent:
    """Where the message is now. Of one that was taken out of the queue only its number is left."""
    chat_id = seen.chat.id
    now = await read_message_of_key(asked.store.db, chat_id, key)
    if now.message is not None:
        return bodies.Sent(queued=False, message=_told(seen, now.message))
    queued = now.queued or Queued(
        id=QueuedId(used.number),
        content=(),
        created_by=asked.user.id,
        created_at=used.created_at,
        position=used.number,
        steered=asked.body.when is When.STEER,
        key=key,
    )
    return bodies.Sent(queued=True, queued_message=queued_view(chat_id, queued))


async def _send(asked: Asked[Nothing, bodies.SendMessage]) -> bodies.Sent:
    body = asked.body
    message = Draft(
        role=Role.USER,
        content=await content_of(asked, body.content, ChatId(asked.path["chat_id"])),
        created_by=asked.user.id,
        model=await _admitted(asked, body.model) if body.model is not None else None,
        effort=body.reasoning_effort,
        key=body.key,
    )
    if message.effort is not None:
        chat = in_use(await permitted_chat(asked))
        await check_effort(asked, message.effort, message.model or chat.last_model)
    digest = digest_of(body) if body.key is not None else ""
    names = NONE
    if may_collide(asked, body):
        names = await server_tools_in(asked, body, await permitted_chat(asked), message.model)
    setup = checks.setup(body, names)
    if body.mcp_servers is not UNSET:
        chat = in_use(await permitted_chat(asked))
        setup = await with_mcp_servers(asked, setup, chat)
    command = SendMessage(message=message, when=body.when, digest=digest, setup=setup)
    done, seen = await transact_permitted(asked, command)
    if done.enqueued:
        return bodies.Sent(queued=True, queued_message=queued_view(done.chat.id, done.enqueued[-1]))
    return bodies.Sent(queued=False, message=_told(seen, done.appended[-1]))


async def _admitted(asked: Asked[Nothing, bodies.SendMessage], model: str) -> str | None:
    """Whoever sends: the owner pays, and the owner's keys count."""
    chat = await permitted_chat(asked)
    return await admitted(asked, model, chat.owner_id)


def _told(seen: Seen, message: Message) -> MessageView:
    """A message that its sender may see, also with a token that reads nothing else."""
    shapes = FULL if seen.relation is Relation.OWNER else RESTRICTED
    view: MessageView = shapes.message(seen.chat.id, message)
    return view


async def edit(asked: Asked[Nothing, bodies.EditMessage]) -> bodies.Edited:
    body = asked.body
    command = EditMessage(
        message_id=MessageId(checks.number(asked.path["message_id"], "message_id")),
        content=await content_of(asked, body.content, ChatId(asked.path["chat_id"])),
        created_by=asked.user.id,
        model=await admitted(asked, body.model, asked.user.id) if body.model is not None else None,
        effort=body.reasoning_effort,
        queue=body.queue,
    )
    chat = in_use(await permitted_chat(asked))
    await check_effort(asked, command.effort, command.model or chat.last_model)
    done, _ = await transact_permitted(asked, command)
    return bodies.Edited(
        message=message_view(chat.id, done.appended[-1]),
        deleted_message_ids=done.left,
        dropped_queued_ids=tuple(row for outcome in done.outcomes for row in outcome.dequeued),
        branch=done.chat.branch,
    )


async def prompts(asked: Asked[bodies.ListPrompts, Nothing]) -> bodies.PromptList:
    chat = await permitted_chat(asked)
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
