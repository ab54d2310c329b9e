"""A viewer's picture of one chat (pure): snapshots and parts come in, events go out.

What a viewer knows is compared with what is; each difference is an event, and each event moves what
is known by exactly what it tells. So a viewer who comes back with the cursor of any event is told what
followed it, as if the connection had never been lost.

The order of events is part of the contract: what the chat is about, who has written in it, messages and
tombstones, the queue, the status, why it failed, what it waits for, a pending retry, then what becomes of
the preview.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from msgspec import UNSET

from chatd.domain.call import Call
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, UserId
from chatd.domain.message import Message
from chatd.hints.hint import ChatChanged
from chatd.kit.codec import encode
from chatd.live.cursor import Known, check_sum, cursor_end, cursor_of, known_at
from chatd.live.episodes.episode import Said
from chatd.live.episodes.waits import HeldUp
from chatd.live.events import (
    Batch,
    ChatDescribed,
    ChatGone,
    ChildrenChanged,
    Gap,
    HeldUpChanged,
    MessageDeleted,
    MessageSaved,
    OlderMessages,
    ParticipantsNamed,
    PreviewPaused,
    PreviewReset,
    QueueUpdated,
    RetryOver,
    RetryPending,
    StatusChanged,
    TurnFailed,
    ViewerEvent,
    WaitingForChanged,
)
from chatd.live.kinds import FULL, Shapes
from chatd.live.shapes import children_view, participants_view
from chatd.storage.reads.authors import Author, authors_of
from chatd.storage.reads.chunks import OPENING, HistoryPlace
from chatd.storage.reads.read import KNOWS_NOTHING, Snapshot
from chatd.storage.transactions.families import Children

E = TypeVar("E", bound=ViewerEvent)

# The agent runs, or is being stopped: only then is there something to preview.
SPEAKING = frozenset({Status.RUNNING, Status.INTERRUPTING})

_STATUSES = tuple(Status)


class Viewer:
    """One viewer. Older news than they have is no news."""

    def __init__(self, chat_id: ChatId, known: Known | None = None, *, shapes: Shapes = FULL) -> None:
        self.chat_id = chat_id
        self.known = known or Known()
        self.snapshot = 0
        self.speaking = False
        # There is more to tell of the history than the last snapshot held.
        self.behind = False
        self._shapes = shapes
        # Whose names they were told. Not part of the cursor: it is a few words, once for a connection.
        self._named: frozenset[UserId] = frozenset()
        self._lost = False
        # Of the cursors of parts, what is the same for all of them until something else is told.
        self._cursor_end: bytes | None = None

    @classmethod
    def at(cls, chat_id: ChatId, cursor: str | None, *, shapes: Shapes = FULL) -> "Viewer":
        """The viewer who was told everything up to this cursor. With a strange one they begin anew."""
        viewer = cls(chat_id, known_at(chat_id, cursor) if cursor is not None else None, shapes=shapes)
        viewer._lost = cursor is not None and viewer.known == Known()
        return viewer

    def fits(self, snapshot: Snapshot) -> bool:
        """Whether what they know can be continued. Not so when the database was put back to an older day."""
        known, versions = self.known, snapshot.chat.versions
        newest = max(known.history, known.revision, known.preview_history, known.error)
        return newest <= versions.history and max(known.queue, known.retry) <= versions.snapshot

    def begin_anew(self) -> None:
        self.known = Known()
        self._lost = True
        self._named = frozenset()
        self._cursor_end = None

    def wants(self, hint: ChatChanged) -> bool:
        """Whether there is something to read."""
        return hint.snapshot > self.snapshot

    def unnamed(self, snapshot: Snapshot) -> frozenset[UserId]:
        """Who has written what this snapshot tells them, and was not named to them."""
        waiting = snapshot.queue or () if self._shapes.shows_queue else ()
        messages = chain(snapshot.opened, snapshot.messages)
        return authors_of(snapshot.chat.owner_id, messages, waiting) - self._named

    def see(self, snapshot: Snapshot, authors: Sequence[Author] = ()) -> list[ViewerEvent]:
        """What this snapshot, read for what they know, tells them; `authors` are the unnamed ones in it."""
        chat = snapshot.chat
        if chat.versions.snapshot <= self.snapshot:
            return []
        events = [*self._see_gap(), *self._see_details(chat), *self._see_authors(snapshot, authors)]
        events += self._see_history(snapshot)
        self._cursor_end = None
        self.behind = snapshot.more
        if self.behind:
            # The rest comes after the rest of the messages: the order is part of the contract.
            return events
        events += [
            *self._see_queue(snapshot),
            *self._see_status(chat),
            *self._see_failure(chat),
            *self._see_waiting(chat, snapshot.waiting_for),
            *self._see_retry(chat),
            *self._see_preview(chat),
        ]
        self.snapshot = chat.versions.snapshot
        self.speaking = chat.status in SPEAKING
        return events

    def hear(self, said: Sequence[Said]) -> Batch:
        """Of these entries of one episode, the ones that come next. None is ever skipped."""
        events: list[ViewerEvent] = []
        known = self.known
        if not self.speaking or self.behind or not said or not self._follows(said[0]):
            return Batch()
        if said[0].key.attempt > known.preview_attempt:
            if said[0].first != 1:
                return Batch()
            shown = known.seq > 0
            known.seq, known.preview_attempt = 0, said[0].key.attempt
            self._cursor_end = None
            # What an earlier attempt said stayed until this one spoke.
            events += [self._tell(PreviewReset)] if shown else []
        fresh = self._next(said)
        known.seq = fresh[-1].seq if fresh else known.seq
        if self._cursor_end is None:
            self._cursor_end = cursor_end(self.chat_id, known).encode()
        return Batch(tuple(events), tuple(fresh), self._cursor_end)

    def see_wait(self, held_up: HeldUp | None) -> ViewerEvent:
        """What the agent waits for. Not part of the cursor: told anew to a viewer that comes back."""
        return self._tell(HeldUpChanged, held_up=held_up)

    def see_pause(self, *, paused: bool) -> ViewerEvent:
        """Whether what is being said may come late. Not part of the cursor, as above."""
        return self._tell(PreviewPaused, paused=paused)

    def see_children(self, children: Children) -> ViewerEvent:
        """Who works for the chat. Not part of the cursor, as above."""
        return self._tell(ChildrenChanged, children=children_view(children, self._shapes.waiting))

    def bid_farewell(self) -> ViewerEvent:
        """The chat is gone."""
        return self._tell(ChatGone)

    def _follows(self, first: Said) -> bool:
        known, key = self.known, first.key
        return (
            key.chat_id == self.chat_id
            and key.history == known.history == known.preview_history
            and key.attempt >= known.preview_attempt
        )

    def _next(self, said: Sequence[Said]) -> Sequence[Said]:
        seq = self.known.seq
        # Almost always new and whole, piece by piece; then it is not looked at one by one.
        if said[0].first == seq + 1 and said[-1].seq == seq + len(said):
            return said
        fresh: list[Said] = []
        for each in said:
            if each.first == seq + 1:
                fresh.append(each)
                seq = each.seq
            elif each.first > seq:
                break
        return fresh

    def _see_gap(self) -> Iterator[ViewerEvent]:
        if self._lost:
            self._lost = False
            yield self._tell(Gap, what="history")

    def _see_details(self, chat: Chat) -> Iterator[ViewerEvent]:
        details = self._shapes.details(chat)
        mark = check_sum(encode(details))
        if mark != self.known.details:
            self.known.details = mark
            yield self._tell(ChatDescribed, chat=details)

    def _see_authors(self, snapshot: Snapshot, authors: Sequence[Author]) -> Iterator[ViewerEvent]:
        # With those who have no name any more: they are not asked for again.
        self._named |= self.unnamed(snapshot)
        if authors:
            yield self._tell(ParticipantsNamed, participants=participants_view(authors))

    def _see_history(self, snapshot: Snapshot) -> Iterator[ViewerEvent]:
        yield from self._open(snapshot)
        known, version = self.known, snapshot.chat.versions.history
        if version <= known.history or known.opening:
            return
        for place, message in _in_order(snapshot):
            if place[0] <= known.history or place <= known.place:
                continue
            known.revision, known.saved, known.message = place
            if message is None:
                yield self._tell(MessageDeleted, message_id=place[2])
            else:
                yield self._tell(MessageSaved, message=self._shapes.message(self.chat_id, message))
        if not snapshot.more_changed:
            known.history = version
            known.revision = known.saved = known.message = 0

    def _open(self, snapshot: Snapshot) -> Iterator[ViewerEvent]:
        """What was there when they came: the newest messages of that version, in order."""
        known, opened = self.known, snapshot.opened
        if known.since == KNOWS_NOTHING and opened:
            known.history = snapshot.chat.versions.history
            known.saved, known.message = OPENING, opened[0].id - 1
            if snapshot.older:
                yield self._tell(OlderMessages, before_id=opened[0].id)
        if not known.opening:
            return
        for message in opened:
            known.message = message.id
            yield self._tell(MessageSaved, message=self._shapes.message(self.chat_id, message))
        if not snapshot.more_opened:
            known.saved = known.message = 0

    def _see_queue(self, snapshot: Snapshot) -> Iterator[ViewerEvent]:
        version = snapshot.chat.versions.queue
        if snapshot.queue is not None and version > self.known.queue:
            self.known.queue = version
            queue = self._shapes.queue(self.chat_id, snapshot.queue)
            hidden = len(snapshot.queue) if len(queue) < len(snapshot.queue) else UNSET
            yield self._tell(QueueUpdated, queued_messages=queue, queue_length=hidden)

    def _see_status(self, chat: Chat) -> Iterator[ViewerEvent]:
        status = _STATUSES.index(chat.status) + 1
        if status != self.known.status:
            self.known.status = status
            yield self._tell(StatusChanged, status=chat.status)

    def _see_failure(self, chat: Chat) -> Iterator[ViewerEvent]:
        if chat.last_error is None:
            self.known.error = 0
        elif self.known.error != chat.versions.history:
            self.known.error = chat.versions.history
            yield self._tell(TurnFailed, **_fields(self._shapes.failure(chat.last_error)))

    def _see_waiting(self, chat: Chat, calls: tuple[Call, ...]) -> Iterator[ViewerEvent]:
        mark = check_sum(encode([(call.message_id, call.id, call.state) for call in calls])) if calls else 0
        if mark != self.known.waiting:
            self.known.waiting = mark
            waiting = tuple(self._shapes.waiting(call, chat.deadline_at) for call in calls)
            yield self._tell(WaitingForChanged, waiting_for=waiting)

    def _see_retry(self, chat: Chat) -> Iterator[ViewerEvent]:
        version = chat.versions.retry if chat.retry_state is not None else 0
        if version == self.known.retry:
            return
        self.known.retry = version
        if chat.retry_state is not None:
            yield self._tell(RetryPending, **_fields(self._shapes.retry(chat.retry_state)))
        else:
            yield self._tell(RetryOver)

    def _see_preview(self, chat: Chat) -> Iterator[ViewerEvent]:
        """What was previewed is saved, or void. Another attempt changes nothing until it speaks."""
        if chat.versions.history > self.known.preview_history:
            self.known.preview_history = chat.versions.history
            self.known.preview_attempt = self.known.seq = 0
            yield self._tell(PreviewReset)

    def _tell(self, event: type[E], **fields: Any) -> E:
        return event(chat_id=self.chat_id, cursor=cursor_of(self.chat_id, self.known), **fields)


def _in_order(snapshot: Snapshot) -> list[tuple[HistoryPlace, Message | None]]:
    """By revision, tombstones first, then by id: so a place in between says what is known."""
    rows: list[tuple[HistoryPlace, Message | None]] = [
        ((gone.revision, 0, gone.id), None) for gone in snapshot.tombstones
    ]
    rows += [((message.revision, 1, message.id), message) for message in snapshot.messages]
    return sorted(rows, key=lambda row: row[0])


def _fields(view: Any) -> dict[str, Any]:
    return {name: getattr(view, name) for name in view.__struct_fields__}
