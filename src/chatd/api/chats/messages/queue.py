"""The queue: take back a message that waits, have the agent answer it next, or put all in another order."""

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.chats.chats import in_use, permitted_chat, transact_permitted
from chatd.api.router import Asked
from chatd.api.views import locked_view
from chatd.domain.ids import QueuedId
from chatd.domain.transitions.messages.delete_queued import DeleteQueued
from chatd.domain.transitions.messages.promote_queued import PromoteQueued
from chatd.domain.transitions.messages.reorder_queue import ReorderQueue
from chatd.storage.transactions.transact import transact


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    queued_id = _queued_id(asked)
    chat = in_use(await permitted_chat(asked))
    await transact(asked.store, chat.id, DeleteQueued(queued_id=queued_id))


async def promote(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    queued_id = _queued_id(asked)
    chat = in_use(await permitted_chat(asked))
    done = await transact(asked.store, chat.id, PromoteQueued(queued_id=queued_id))
    return locked_view(done.locked)


async def reorder(asked: Asked[Nothing, bodies.ReorderQueue]) -> bodies.ChatView:
    queued_ids = tuple(QueuedId(each) for each in asked.body.queued_ids)
    done = await transact_permitted(asked, ReorderQueue(queued_ids=queued_ids))
    return locked_view(done.locked)


def _queued_id(asked: Asked[Nothing, Nothing]) -> QueuedId:
    return QueuedId(checks.number(asked.path["queued_id"], "queued_id"))
