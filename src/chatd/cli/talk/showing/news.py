"""What happens beside what is said (pure): failures, retries, the queue, the end of a chat."""

from collections.abc import Callable, Iterator, Mapping

from chatd.cli.talk.showing.calls.words import glimpse
from chatd.cli.talk.showing.lines import Lines
from chatd.cli.talk.showing.pieces import Piece, Tone
from chatd.cli.talk.showing.retry import seconds_left
from chatd.cli.talk.showing.transcript import words_of
from chatd.client.answers import Failure, Queued
from chatd.client.events import (
    AccessEnded,
    ChatGone,
    Event,
    OlderMessages,
    PreviewPaused,
    QueueUpdated,
    RetryOver,
    RetryPending,
    TurnFailed,
)
from chatd.kit.text import visible

OLDER = "Only the end of this chat is shown. `chatd export` prints all of it."
PAUSED = "The server that drives this chat is not heard: words may come late, or when they are saved."
GOES_ON = "Words come as they are said again."

_LAST_WORDS: Mapping[type[Event], str] = {
    ChatGone: "The chat was deleted.",
    AccessEnded: "You may not watch this chat any more.",
}


class News:
    """Folded: what lasts is kept, to be shown as long as it does, and printed only when it is over."""

    def __init__(
        self,
        lines: Lines,
        now: Callable[[], float],
        *,
        folded: bool,
        names: Mapping[str, str] | None = None,
    ) -> None:
        # Of those who write, where several do.
        self.names: Mapping[str, str] = names if names is not None else {}
        self._lines = lines
        self._now = now
        self._folded = folded
        self._paused = False
        self._retry: tuple[RetryPending, float] | None = None
        self.queued: tuple[Queued, ...] = ()

    @property
    def retry(self) -> tuple[RetryPending, int] | None:
        """The one that is due, and in how many seconds."""
        if self._retry is None:
            return None
        pending, at = self._retry
        return pending, max(0, round(at - self._now()))

    def pieces_of(self, event: Event) -> Iterator[Piece]:
        match event:
            case OlderMessages():
                yield from self._lines.note(OLDER)
            case TurnFailed():
                yield from self._lines.note(f"{explained(event)}  (/retry tries again)", Tone.ERROR)
            case RetryPending():
                self._retry = (event, self._now() + seconds_left(event))
                if not self._folded:
                    yield from self._lines.note(explained(event))
            case RetryOver():
                yield from self._end_retry()
            case QueueUpdated(queued_messages=queued):
                yield from self._note_queue(queued)
            case PreviewPaused(paused=paused) if paused != self._paused:
                self._paused = paused
                yield from self._lines.beside(Piece(Tone.NOTE, f"{PAUSED if paused else GOES_ON}\n"))
            case ChatGone() | AccessEnded():
                yield from self._lines.note(_LAST_WORDS[type(event)], Tone.ERROR)
            case _:
                pass  # What it is about, and what a newer server may say.

    def _end_retry(self) -> Iterator[Piece]:
        pending, self._retry = self._retry, None
        if pending is not None and self._folded:
            failed, _ = pending
            yield from self._lines.note(
                f"Attempt {failed.attempt} failed: {visible(failed.error)}", Tone.TOOL
            )

    def _note_queue(self, queued: tuple[Queued, ...]) -> Iterator[Piece]:
        known = {row.id for row in self.queued}
        self.queued = queued
        for row in () if self._folded else queued:
            if row.id not in known:
                yield from self._lines.note(waits(row, self.names))


def waits(row: Queued, names: Mapping[str, str]) -> str:
    """A message that was sent while the agent works, and where several people write, who sent it."""
    how = "Is heard next" if row.when == "steer" else "Waits"
    who = names.get(row.created_by or "", "")
    return f"{how}: {f'{who}> ' if who else ''}{glimpse(words_of(row.content))}"


def explained(failure: Failure | TurnFailed | RetryPending) -> str:
    """Why there is no answer, or none yet."""
    if isinstance(failure, RetryPending):
        seconds = f"{failure.delay_ms / 1000:.0f} s"
        return f"Attempt {failure.attempt} failed ({visible(failure.error)}); again in {seconds}."
    detail = f" ({glimpse(failure.detail)})" if failure.detail else ""
    return f"The agent failed: {visible(failure.message)}{detail}"
