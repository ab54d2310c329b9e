"""What of a chat the guests of one link see (pure)."""

from functools import partial

from chatd.domain.ids import MessageId
from chatd.domain.message import Message, Role, Visibility
from chatd.domain.part import File
from chatd.domain.people.links import Included, LineOfHistory
from chatd.kit.clock import rfc3339
from chatd.kit.codec import encode
from chatd.kit.sealed_numbers import WORD_LENGTH, SealedNumbers
from chatd.live.episodes.episode import LivePart
from chatd.live.guests.messages import GuestMessage
from chatd.live.guests.parts import GuestFile, GuestLivePart, GuestPart, live_part, saved_part
from chatd.storage.reads.chunks import LAST_ID

# Notices of the system tell of the workspace.
SPEAKERS = frozenset({Role.USER, Role.ASSISTANT, Role.TOOL})


class Sight:
    def __init__(
        self, include: frozenset[Included], line: LineOfHistory | None, numbers: SealedNumbers
    ) -> None:
        """`line`: what was in the history when the link was made; None: it follows on."""
        self.include = include
        self.line = line
        self._numbers = numbers

    @property
    def is_live(self) -> bool:
        return self.line is None

    @property
    def end(self) -> MessageId:
        """From this number on, nothing is shown."""
        return MessageId(self.line.up_to + 1) if self.line is not None else LAST_ID

    def message(self, message: Message) -> GuestMessage | None:
        """None: it is not for guests, and they are not told that there is one."""
        if (
            message.deleted
            or message.compressed
            or message.visibility is Visibility.MODEL
            or message.role not in SPEAKERS
            or (self.line is not None and not self.line.has(message))
        ):
            return None
        content = self._content(message)
        if not content:
            return None
        return GuestMessage(
            id=self.name(message.id),
            role=message.role,
            content=content,
            created_at=rfc3339(message.created_at),
        )

    def size(self, message: Message) -> int:
        """In bytes, as it is sent; 0: it is not."""
        shown = self.message(message)
        return len(encode(shown)) if shown is not None else 0

    def part(self, part: LivePart) -> GuestLivePart | None:
        return live_part(part, self.include) if self.is_live else None

    def name(self, number: MessageId) -> str:
        return self._numbers.seal(number)

    def number(self, name: str) -> MessageId | None:
        number = self._numbers.open(name)
        return MessageId(number) if number is not None else None

    def number_of_file(self, file_id: str) -> MessageId | None:
        """The message of a file, by what guests call it."""
        return self.number(file_id[:WORD_LENGTH])

    def _content(self, message: Message) -> tuple[GuestPart, ...]:
        show_file = partial(self._file, message.id) if Included.FILES in self.include else None
        shown = (saved_part(part, self.include, show_file) for part in message.content)
        return tuple(part for part in shown if part is not None)

    def _file(self, number: MessageId, file: File) -> GuestFile:
        """Called by its message, so that it is found with it, and only where it is shown."""
        return GuestFile(
            file_id=f"{self.name(number)}.{file.file_id}", media_type=file.media_type, name=file.name
        )
