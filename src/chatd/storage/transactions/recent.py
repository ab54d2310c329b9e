"""What this process has committed last, for viewers in the same process: they need not read it again.

Versions make it safe: a snapshot is put together only if all transactions since the one that the viewer
knows were ours, without a gap. One of another process leaves a gap, and then the database is read.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.call import Call, awaits_action
from chatd.domain.chat import Chat, Status
from chatd.domain.decision.apply import Outcome
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId
from chatd.domain.message import Message, Queued, Visibility
from chatd.domain.usage.size import bytes_of
from chatd.kit.codec import encode
from chatd.storage.reads.read import Snapshot

# Transactions of one chat. A viewer that is further behind reads.
CHANGES_MAX = 8
# What a viewer has to learn of one transaction. A longer one is not kept in memory: viewers read it.
CHANGE_BYTES_MAX = 64 * 1024


class _Change(Struct, frozen=True):
    """One transaction: where it led, and which messages it added. Only what viewers see of that."""

    chat: Chat
    queue: tuple[Queued, ...]
    waiting_for: tuple[Call, ...]
    appended: tuple[Message, ...]

    @property
    def snapshot(self) -> int:
        return self.chat.versions.snapshot

    @property
    def is_short(self) -> bool:
        size = sum(map(bytes_of, self.appended))
        for words in (*(row.content for row in self.queue), *(call.args for call in self.waiting_for)):
            if size > CHANGE_BYTES_MAX:
                break
            size += len(encode(words))
        return size <= CHANGE_BYTES_MAX


class _Watched:
    def __init__(self) -> None:
        self.viewers = 0
        self.changes: deque[_Change] = deque(maxlen=CHANGES_MAX)


class Recent:
    """Only of chats that are being watched here."""

    def __init__(self) -> None:
        self._watched: dict[ChatId, _Watched] = {}

    @contextmanager
    def watching(self, chat_id: ChatId) -> Iterator[None]:
        watched = self._watched.setdefault(chat_id, _Watched())
        watched.viewers += 1
        try:
            yield
        finally:
            watched.viewers -= 1
            if not watched.viewers:
                del self._watched[chat_id]

    def note(self, locked: LockedChat, outcomes: Sequence[Outcome]) -> None:
        """This was committed. Without outcomes nothing was: the snapshot is that of another transaction."""
        watched = self._watched.get(locked.chat.id)
        if watched is None or not outcomes:
            return
        change = _Change(
            chat=locked.chat,
            # Viewers do not see what a message sets up, and it can be long.
            queue=tuple(row if row.setup is None else replace(row, setup=None) for row in locked.queue),
            waiting_for=_waiting_for(locked),
            appended=tuple(
                replace(message, internal=None)
                for outcome in outcomes
                for message in outcome.appended
                if message.visibility is not Visibility.MODEL
            ),
        )
        # These messages are not at hand.
        rewritten = any(each.rewrites or each.marked is not None for each in outcomes)
        if rewritten or not change.is_short:
            watched.changes.clear()
            return
        watched.changes.append(change)

    def since(self, chat_id: ChatId, known: int, *, newest: int, queue_since: int) -> Snapshot | None:
        """What a viewer has to learn who knows the chat at the snapshot `known`.

        None when that cannot be told without reading, up to the snapshot `newest` at least.
        """
        watched = self._watched.get(chat_id)
        changes = [each for each in watched.changes if each.snapshot > known] if watched is not None else []
        # Two commits may be noted in the other order: each by its own task, when it is its turn.
        changes.sort(key=lambda each: each.snapshot)
        if not changes or changes[-1].snapshot < newest:
            return None
        if [each.snapshot for each in changes] != list(range(known + 1, known + 1 + len(changes))):
            return None
        last = changes[-1]
        return Snapshot(
            chat=last.chat,
            messages=tuple(message for each in changes for message in each.appended),
            queue=last.queue if last.chat.versions.queue > queue_since else None,
            waiting_for=last.waiting_for,
        )


def _waiting_for(locked: LockedChat) -> tuple[Call, ...]:
    if locked.chat.status is not Status.REQUIRES_ACTION:
        return ()
    return tuple(call for call in locked.calls if awaits_action(call))
