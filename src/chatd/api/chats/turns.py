"""Turns: stop the agent, have it try again, have it make its history shorter."""

from chatd.api import bodies
from chatd.api.bodies import Nothing
from chatd.api.chats.chats import in_use, permitted_chat, show
from chatd.api.router import Asked
from chatd.api.views import locked_view
from chatd.domain.chat import Chat
from chatd.domain.ids import MessageId
from chatd.domain.transitions import Command
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.storage.transactions.families import interrupt_family
from chatd.storage.transactions.transact import Store, transact


async def interrupt(asked: Asked[Nothing, bodies.InterruptTurn]) -> bodies.ChatView:
    meant = asked.body.message_id
    command = Interrupt(message_id=MessageId(meant) if meant is not None else None)
    chat = in_use(await permitted_chat(asked))
    if not asked.body.cascade or chat.parent_id is not None:
        return await _perform(asked.store, chat, command)
    done = await interrupt_family(asked.store, chat.id, command)
    return locked_view(done.locked) if done is not None else await show(asked)


async def compact(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    return await _perform(asked.store, await permitted_chat(asked), RequestCompaction())


async def retry(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    return await _perform(asked.store, await permitted_chat(asked), RetryTurn())


async def _perform(store: Store, chat: Chat, command: Command) -> bodies.ChatView:
    done = await transact(store, in_use(chat).id, command)
    return locked_view(done.locked)
