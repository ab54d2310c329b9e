"""What was said in a chat as text (pure): messages and their previews in, pieces of text out, each once."""

from collections.abc import Iterator, Mapping
from typing import Final

from chatd.cli.talk.showing.calls.calls import Calls
from chatd.cli.talk.showing.lines import Lines
from chatd.cli.talk.showing.pieces import END_OF_TEXT, VOID, Piece, Tone
from chatd.client.answers import Message, Part
from chatd.client.events import Event, MessageDeleted, MessageSaved, PartSpoken, PreviewReset
from chatd.kit.text import visible

TAKEN_BACK = "Another branch of the chat: some of what is above is not in it. It goes on from here."
CUT_OFF = "The model reached its output limit before it had finished. Say “go on” to hear the rest."

# Of a message of a user.
OWN_LINES_MAX = 10

# What is spoken word by word.
_TONES: Final[Mapping[str, Tone]] = {"text": Tone.TEXT, "reasoning": Tone.REASONING}


class Transcript:
    """Knows what was shown of the message that is being said, so that nothing is shown twice."""

    def __init__(
        self, lines: Lines, calls: Calls, *, folded: bool, names: Mapping[str, str] | None = None
    ) -> None:
        self._lines = lines
        # Of those who write, where several do.
        self._names: Mapping[str, str] = names if names is not None else {}
        self._calls = calls
        self._folded = folded
        self.newest = 0
        self._shown: set[int] = set()
        # Of the message that is being said: the words in each tone.
        self._heard: dict[Tone, list[str]] = {}
        self._told_of_branch = False

    def pieces_of(self, event: Event) -> Iterator[Piece]:
        match event:
            case MessageSaved(message=message):
                yield from self._saved(message)
            case PartSpoken(part=part):
                yield from self._spoken(part)
            case MessageDeleted(message_id=message_id):
                yield from self._taken_back(message_id)
            case PreviewReset():
                yield from self._void()
                self._calls.forget_preview()
            case _:
                # After a gap, what was heard is the beginning of what will be saved.
                pass

    def _void(self) -> Iterator[Piece]:
        """What was heard is said anew, or not at all. On a screen it goes; in a pipe it stays as it is."""
        yield from self._lines.end()
        if self._heard:
            yield VOID
        self._heard = {}
        self._lines.forget()

    def _spoken(self, part: Part) -> Iterator[Piece]:
        if (tone := _TONES.get(part.type)) is not None:
            words = visible(part.text)
            self._heard.setdefault(tone, []).append(words)
            yield from self._lines.go_on(tone, words, is_preview=True)
        elif part.result_delta is not None:
            yield from self._calls.print(part)
        elif part.args_delta is None:
            yield from self._calls.show(part, saved=False)

    def _saved(self, message: Message) -> Iterator[Piece]:
        if message.id in self._shown:
            return
        self._shown.add(message.id)
        self._told_of_branch = False
        self.newest = max(self.newest, message.id)
        if message.role == "user":
            yield from self._lines.note("\n".join(self._own_lines(message)), Tone.USER)
            for part in message.content:
                yield from self._calls.show(part, saved=True)
        elif message.role == "assistant":
            yield from self._rest_of(message)
            if message.cut_off:
                yield from self._lines.note(CUT_OFF)
        elif message.role == "system":
            yield from self._lines.note(visible(words_of(message.content)))
        else:
            for part in message.content:
                yield from self._calls.show(part, saved=True)

    def _own_lines(self, message: Message) -> Iterator[str]:
        """Whoever has typed or pasted it knows it: of a long one a screen shows the beginning."""
        lines = visible(words_of(message.content)).split("\n")
        shown = OWN_LINES_MAX if self._folded and len(lines) > OWN_LINES_MAX + 2 else len(lines)
        who = self._names.get(message.created_by or "", "")
        yield own_words("\n".join(lines[:shown]), who).rstrip("\n")
        if len(lines) > shown:
            yield f"> … {len(lines) - shown:,} more lines"

    def _rest_of(self, message: Message) -> Iterator[Piece]:
        """What of a reply was not shown while it was spoken, in the order of its parts."""
        spoken = {tone: _words(message, kind) for kind, tone in _TONES.items()}
        if not all(whole.startswith(self._heard_in(tone)) for tone, whole in spoken.items()):
            # It was shown differently, so it comes again.
            yield from self._void()
        known = {tone: len(self._heard_in(tone)) for tone in spoken}
        for part in message.content:
            if (tone := _TONES.get(part.type)) is not None:
                words = visible(part.text)
                skipped = min(len(words), known[tone])
                known[tone] -= skipped
                yield from self._lines.go_on(tone, words[skipped:])
            else:
                yield from self._calls.show(part, saved=True)
        yield from self._lines.end()
        yield END_OF_TEXT
        self._heard = {}
        self._lines.forget()
        self._calls.forget_sources()

    def _heard_in(self, tone: Tone) -> str:
        return "".join(self._heard.get(tone, ()))

    def _taken_back(self, message_id: int) -> Iterator[Piece]:
        """An edit, or another branch. What is on the screen stays there; what counts follows."""
        if message_id in self._shown:
            self._shown.discard(message_id)
            if not self._told_of_branch:
                yield from self._lines.note(TAKEN_BACK)
            self._told_of_branch = True


def own_words(words: str, who: str = "") -> str:
    """A message of a user, as it is shown; with a name where several people write."""
    return who + "".join(f"> {line}\n" for line in visible(words).split("\n"))


def _words(message: Message, kind: str) -> str:
    return visible("".join(part.text for part in message.content if part.type == kind))


def words_of(content: tuple[Part, ...]) -> str:
    return "\n".join(part.text for part in content if part.type == "text") or "(no text)"
