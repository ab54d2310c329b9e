"""What the agent says to one message (pure): events in, words out as they come, each once."""

from collections.abc import Iterator
from typing import Final

from chatd.client.answers import Message, Sent
from chatd.client.events import Event, Gap, MessageSaved, PartSpoken, PreviewReset, QueueUpdated, RetryPending
from chatd.kit.text import visible

_BREAK: Final = "\n\n"
_BETWEEN_TEXTS: Final = frozenset({"reasoning", "tool-call", "tool-result"})


class ReplyText:
    """Begins when the message is taken up. Several replies are paragraphs of one text.

    What was half said and is said anew, after a failure, comes again in a paragraph of its own.
    """

    def __init__(self, sent: Sent | None) -> None:
        """Without a message, it is the first one of a new chat."""
        self._message_id = sent.message.id if sent is not None and sent.message is not None else None
        queued = sent.queued_message if sent is not None else None
        self._queued_id = queued.id if queued is not None else None
        self._begun = sent is None
        # Replies since the newest message of a user, until it is known whether that is ours.
        self._held: list[Message] = []
        self._seen: set[int] = set()
        self._heard: list[str] = []
        self._anything = False
        # Whether the paragraph has been ended already.
        self._broken = False
        # Whether something else was done in the middle of a reply: what follows is another paragraph.
        self._parted = False

    def words_of(self, event: Event) -> Iterator[str]:
        match event:
            case MessageSaved(message=message):
                yield from self._saved(message)
            case PartSpoken(role="assistant", part=part) if part.type == "text" and self._begun:
                yield from self._go_on(self._apart() + visible(part.text))
            case PartSpoken(role="assistant", part=part) if part.type in _BETWEEN_TEXTS:
                self._parted = bool(self._heard)
            case PreviewReset() | Gap(what="preview") | RetryPending():
                yield from self._break()
            case QueueUpdated(queued_messages=rows) if not self._begun and self._queued_id is not None:
                self._begun = self._queued_id not in {row.id for row in rows}
                for message in self._held if self._begun else ():
                    yield from self._rest_of(message)
            case _:
                pass

    def end(self) -> Iterator[str]:
        if self._anything and not self._broken:
            yield "\n"

    def _saved(self, message: Message) -> Iterator[str]:
        if message.id in self._seen:
            return
        self._seen.add(message.id)
        if message.role == "user":
            self._held = []
            self._begun = self._begun or message.id == self._message_id
        elif message.role == "assistant" and self._begun:
            yield from self._rest_of(message)
        elif message.role == "assistant":
            self._held.append(message)

    def _rest_of(self, message: Message) -> Iterator[str]:
        whole, heard = visible(text_of_reply(message)), "".join(self._heard)
        if not whole.startswith(heard):
            # It was shown differently, so it comes again.
            heard = ""
            yield from self._break()
        yield from self._go_on(whole[len(heard) :])
        self._heard, self._parted = [], False

    def _go_on(self, words: str) -> Iterator[str]:
        if not words:
            return
        if self._anything and not self._heard and not self._broken:
            yield "\n\n"
        self._anything, self._broken = True, False
        self._heard.append(words)
        yield words

    def _apart(self) -> str:
        parted, self._parted = self._parted, False
        return _BREAK if parted and self._heard else ""

    def _break(self) -> Iterator[str]:
        """What was half said ends here, so that what is told beside it is on a line of its own."""
        if self._heard:
            self._heard, self._broken = [], True
            yield "\n\n"


def text_of_reply(message: Message) -> str:
    """Those before and behind a thought or a call are paragraphs. A source may stand within a sentence."""
    whole, parted = "", False
    for part in message.content:
        if part.type == "text" and part.text:
            whole += (_BREAK if parted and whole else "") + part.text
            parted = False
        parted = parted or part.type in _BETWEEN_TEXTS
    return whole
