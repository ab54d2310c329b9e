"""What the caller marks in a chat for themselves. Nobody else sees it, and nobody else's moves."""

from msgspec import UNSET

from chatd.accounts.sharing.marks import MarkChange, mark
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import permitted, still
from chatd.api.chats.sharing.bodies import MarksView, PutMarks
from chatd.api.checks import something_to_change
from chatd.api.router import Asked, B, Q
from chatd.api.serving.callers.permits import Seen
from chatd.domain.ids import MessageId
from chatd.storage.reads.around import GONE, read_around


async def put(asked: Asked[Nothing, PutMarks]) -> MarksView:
    body = asked.body
    something_to_change(body)
    seen = await permitted(asked)
    change = MarkChange(
        read_id=MessageId(body.read_id) if body.read_id is not UNSET else UNSET,
        pin_order=body.pin_order,
        muted=body.muted,
    )
    await mark_permitted(asked, seen, change)
    around = await read_around(asked.store.db, asked.user.id, ((await permitted(asked)).chat,))
    marks = around.get(seen.chat.id, GONE).marks
    return MarksView(
        read_id=marks.read_id,
        pin_order=marks.pin_order,
        muted=marks.muted,
        has_unread=seen.chat.is_unread_after(marks.read_id),
    )


async def mark_permitted(asked: Asked[Q, B], seen: Seen, change: MarkChange) -> None:
    await mark(asked.store, asked.user.id, seen.chat.id, change, still(asked))
