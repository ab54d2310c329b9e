"""Turns: stop the agent, have it try again, have it make its history shorter."""

from chatd.api import bodies
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import in_use, permitted, still, transact_permitted
from chatd.api.chats.showing import show_locked, show_now
from chatd.api.router import Asked, B, Q
from chatd.api.serving.callers.permits import chat_not_found
from chatd.domain.ids import MessageId
from chatd.domain.transitions import Command
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.storage.transactions.families import interrupt_family


async def interrupt(asked: Asked[Nothing, bodies.InterruptTurn]) -> bodies.ChatView:
    meant = asked.body.message_id
    command = Interrupt(message_id=MessageId(meant) if meant is not None else None)
    seen = await permitted(asked)
    chat = in_use(seen.chat)
    if not asked.body.cascade or chat.parent_id is not None:
        return await _perform(asked, command)
    done = await interrupt_family(asked.store, chat.id, command, admit=still(asked))
    if done is not None:
        return await show_locked(asked, seen, done.locked)
    # Only chats that work for it did anything.
    view = await show_now(asked, seen)
    if view is None:
        raise chat_not_found(chat.id)
    return view


async def compact(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    return await _perform(asked, RequestCompaction())


async def retry(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    return await _perform(asked, RetryTurn())


async def _perform(asked: Asked[Q, B], command: Command) -> bodies.ChatView:
    done, seen = await transact_permitted(asked, command)
    return await show_locked(asked, seen, done.locked)
