"""What a database would answer, from the pure model: for viewers without a database."""

from collections.abc import Sequence
from typing import TypeVar

from chatd.domain.call import awaits_action
from chatd.domain.chat import Status
from chatd.domain.message import Message, Visibility
from chatd.live.cursor import Known
from chatd.storage.reads.chunks import CHUNK_MESSAGES_MAX
from chatd.storage.reads.read import KNOWS_NOTHING, Snapshot, Tombstone
from tests.support.model import ModelChat

T = TypeVar("T")


def snapshot_of(model: ModelChat, known: Known | None = None, *, chunk: int = CHUNK_MESSAGES_MAX) -> Snapshot:
    """As `read_snapshot` reads it, in chunks of this many messages."""
    known = known or Known()
    chat = model.chat
    visible = [
        message for _, message in sorted(model.messages.items()) if message.visibility is not Visibility.MODEL
    ]
    begins = known.since == KNOWS_NOTHING
    opened, unopened = _opened(visible, known, chunk)
    changed, unchanged = _first(_changed(visible, known), chunk) if not (begins or unopened) else ([], False)
    waiting = [call for call in model.locked.calls if awaits_action(call)]
    return Snapshot(
        chat=chat,
        opened=tuple(opened),
        messages=tuple(m for m in changed if not m.deleted),
        tombstones=tuple(Tombstone(m.revision, m.id) for m in changed if m.deleted),
        queue=model.locked.queue if chat.versions.queue > known.queue else None,
        waiting_for=tuple(waiting) if chat.status is Status.REQUIRES_ACTION else (),
        older=begins and unopened,
        more_opened=unopened and not begins,
        more_changed=unchanged,
    )


def _opened(visible: Sequence[Message], known: Known, chunk: int) -> tuple[Sequence[Message], bool]:
    if known.since == KNOWS_NOTHING:
        active = [m for m in visible if not m.deleted]
        return active[-chunk:], len(active) > chunk
    if not known.opening:
        return [], False
    rest = [m for m in visible if not m.deleted and m.id > known.message and m.revision <= known.history]
    return _first(rest, chunk)


def _changed(visible: Sequence[Message], known: Known) -> Sequence[Message]:
    rows = [(m.revision, int(not m.deleted), m.id, m) for m in visible if m.revision > known.since]
    return [row[3] for row in sorted(rows, key=lambda row: row[:3]) if row[:3] > known.place]


def _first(rows: Sequence[T], chunk: int) -> tuple[Sequence[T], bool]:
    return rows[:chunk], len(rows) > chunk
