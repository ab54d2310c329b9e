"""The queue: take back a message that waits, have the agent answer it next, or put all in another order."""

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import transact_permitted
from chatd.api.chats.showing import show_locked
from chatd.api.router import Asked
from chatd.api.serving.callers.permits import Seen, not_permitted
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import QueuedId
from chatd.domain.people.deeds import Deed
from chatd.domain.people.permit import Relation
from chatd.domain.transitions.messages.delete_queued import DeleteQueued
from chatd.domain.transitions.messages.promote_queued import PromoteQueued
from chatd.domain.transitions.messages.reorder_queue import ReorderQueue


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    """The owner may take back any; others what they have sent themselves."""
    queued_id = _queued_id(asked)

    def is_theirs(locked: LockedChat, seen: Seen) -> None:
        row = next((each for each in locked.queue if each.id == queued_id), None)
        if row is not None and seen.relation is not Relation.OWNER and row.created_by != asked.user.id:
            raise not_permitted(Deed.CHAT_STOP)

    await transact_permitted(asked, DeleteQueued(queued_id=queued_id), check=is_theirs)


async def promote(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    queued_id = _queued_id(asked)
    done, seen = await transact_permitted(asked, PromoteQueued(queued_id=queued_id))
    return await show_locked(asked, seen, done.locked)


async def reorder(asked: Asked[Nothing, bodies.ReorderQueue]) -> bodies.ChatView:
    queued_ids = tuple(QueuedId(each) for each in asked.body.queued_ids)
    done, seen = await transact_permitted(asked, ReorderQueue(queued_ids=queued_ids))
    return await show_locked(asked, seen, done.locked)


def _queued_id(asked: Asked[Nothing, Nothing]) -> QueuedId:
    return QueuedId(checks.number(asked.path["queued_id"], "queued_id"))
