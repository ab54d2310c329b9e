"""What a database would answer, from the pure model: for viewers without a database."""

from chatd.domain.call import awaits_somebody
from chatd.domain.chat import Status
from chatd.domain.message import Visibility
from chatd.live.cursor import Known
from chatd.storage.read import KNOWS_NOTHING, Snapshot, Tombstone
from tests.model import ModelChat


def snapshot_of(model: ModelChat, known: Known | None = None) -> Snapshot:
    """As `read_snapshot` reads it."""
    known = known or Known()
    chat, since = model.chat, known.since
    rows = [
        message
        for _, message in sorted(model.messages.items())
        if message.revision > since and message.visibility is not Visibility.MODEL
    ]
    waiting = [call for call in model.locked.calls if awaits_somebody(call)]
    return Snapshot(
        chat=chat,
        messages=tuple(m for m in rows if not m.deleted),
        tombstones=tuple(Tombstone(m.revision, m.id) for m in rows if m.deleted)
        if since != KNOWS_NOTHING
        else (),
        queue=model.locked.queue if chat.versions.queue > known.queue else None,
        waiting_for=tuple(waiting) if chat.status is Status.REQUIRES_ACTION else (),
    )
