"""What guests are told, made of what other viewers are told (pure).

Only what is named here reaches them. Where nothing of something is shown, there is no sign of it either: no
event, no number, no gap.
"""

from collections.abc import Iterator
from typing import cast

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, MessageId, UserId
from chatd.domain.message import Message
from chatd.live.episodes.episode import Said
from chatd.live.events import (
    Batch,
    ChatDescribed,
    Gap,
    MessageSaved,
    OlderMessages,
    PreviewReset,
    ViewerEvent,
)
from chatd.live.guests.events import (
    GuestDescribed,
    GuestDetails,
    GuestEvent,
    GuestGap,
    GuestOlder,
    GuestPartSpoken,
    GuestPreviewReset,
    GuestSaved,
)
from chatd.live.guests.sight import Sight
from chatd.live.kinds import RESTRICTED, Shapes
from chatd.live.lists.events import FeedEvent
from chatd.live.viewer import Viewer
from chatd.storage.reads.read import Snapshot


def _details(chat: Chat) -> GuestDetails:
    return GuestDetails(title=chat.title)


def _as_it_is(_: ChatId, message: Message) -> Message:
    """What is shown of it is for `GuestTelling`."""
    return message


# What follows from it is never sent: it is made into what guests are told.
WHOLE_MESSAGES = Shapes(
    details=_details,
    message=_as_it_is,
    shows_queue=False,
    waiting=RESTRICTED.waiting,
    failure=RESTRICTED.failure,
    retry=RESTRICTED.retry,
)


class GuestViewer(Viewer):
    """What leaves the history is not told one by one, which would count what was never shown: all of it is
    told anew.
    """

    def __init__(self, chat_id: ChatId, sight: Sight) -> None:
        super().__init__(chat_id, shapes=WHOLE_MESSAGES)
        self._sight = sight

    def unnamed(self, _: Snapshot) -> frozenset[UserId]:
        """Guests are told the role of a speaker, not who it is."""
        return frozenset()

    def fits(self, snapshot: Snapshot) -> bool:
        left = any(each.id < self._sight.end for each in snapshot.tombstones)
        return super().fits(snapshot) and not left


class GuestTelling:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        # Whether something is shown of what is being said.
        self._previewed = False

    def told(self, batch: Batch) -> Batch:
        events = [told for event in batch.events for told in self._event(event)]
        events += [told for said in batch.parts for told in self._part(said)]
        return Batch(tuple(events), access=batch.access)

    def _event(self, event: ViewerEvent | FeedEvent | GuestEvent) -> Iterator[GuestEvent]:
        """The chat and its messages are as WHOLE_MESSAGES has them."""
        match event:
            case ChatDescribed():
                yield GuestDescribed(chat=cast("GuestDetails", event.chat))
            case OlderMessages():
                yield GuestOlder(before=self._sight.name(MessageId(event.before_id)))
            case MessageSaved():
                shown = self._sight.message(cast("Message", event.message))
                if shown is not None:
                    yield GuestSaved(message=shown)
            case Gap(what="history"):
                self._previewed = False
                yield GuestGap()
            case PreviewReset() if self._previewed:
                self._previewed = False
                yield GuestPreviewReset()
            case _:
                return

    def _part(self, said: Said) -> Iterator[GuestEvent]:
        part = self._sight.part(said.part) if said.part is not None else None
        if part is not None and said.role is not None:
            self._previewed = True
            yield GuestPartSpoken(role=said.role, part=part)
