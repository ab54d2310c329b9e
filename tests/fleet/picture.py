"""What a viewer of a fleet has been told."""

from collections.abc import AsyncIterator, Callable

from chatd.client.asynchronous import AsyncClient
from chatd.client.events import (
    Event,
    MessageSaved,
    PartSpoken,
    PreviewPaused,
    PreviewReset,
    StatusChanged,
)


class Picture:
    """What a viewer has been told: the live parts, and the text of the newest saved message."""

    def __init__(self) -> None:
        self.said = ""
        self.seqs: list[int] = []
        # Of each part.
        self.word_counts: list[int] = []
        self.resets = 0
        self.saved = ""
        self.status = ""
        self.paused = False
        self.cursor: str | None = None

    def see(self, event: Event) -> None:
        match event:
            case PartSpoken(part=part, seq=seq):
                self.said += part.text or ""
                self.seqs.append(seq)
                self.word_counts.append(len((part.text or "").split()))
            case PreviewReset():
                self.said, self.seqs, self.word_counts = "", [], []
                self.resets += 1
            case MessageSaved(message=message) if message.role == "assistant":
                self.saved = message.text
            case PreviewPaused(paused=paused):
                self.paused = paused
            case StatusChanged(status=status):
                self.status = status
            case _:
                pass
        self.cursor = getattr(event, "cursor", None) or self.cursor

    async def watch(self, events: AsyncIterator[Event], until: Callable[["Picture"], bool]) -> None:
        while not until(self):
            self.see(await anext(events))


def has_said(count: int) -> Callable[[Picture], bool]:
    return lambda picture: len(picture.said.split()) >= count


async def seen(client: AsyncClient, chat_id: str, until: Callable[[Picture], bool]) -> Picture:
    picture, events = Picture(), client.stream(chat_id)
    await picture.watch(events, until)
    await events.aclose()
    return picture
