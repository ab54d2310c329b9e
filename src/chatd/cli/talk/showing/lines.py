"""Where lines begin and end (pure): pieces go on where the one before ended, or on a line of their own."""

from collections.abc import Iterator

from msgspec.structs import replace

from chatd.cli.talk.showing.pieces import Piece, Tone


class Lines:
    """`folded`: for a screen, which can print above the row that is being said."""

    def __init__(self, *, folded: bool = False) -> None:
        self._folded = folded
        # What the line that has no end yet belongs to: a tone, and the call whose output it is.
        self._open: tuple[Tone, str] | None = None
        self._is_preview = False
        # The same of a line that a note has interrupted.
        self._interrupted: tuple[Tone, str] | None = None

    def go_on(
        self, tone: Tone, words: str, call_id: str = "", *, is_preview: bool = False
    ) -> Iterator[Piece]:
        """Some more words. Those of another tone or call begin on a line of their own."""
        if not words:
            return
        if self._open != (tone, call_id):
            yield from self.end()
            # The line break stands for the blank.
            words = words.removeprefix(" ") if self._interrupted == (tone, call_id) else words
        self._interrupted = None
        if not words:
            return
        self._open = None if words.endswith("\n") else (tone, call_id)
        self._is_preview = is_preview
        yield Piece(tone, words, is_preview=is_preview)

    def note(self, words: str, tone: Tone = Tone.NOTE) -> Iterator[Piece]:
        """Something beside what is being said, on a line of its own."""
        yield from self.aside(Piece(tone, f"{words}\n"))

    def aside(self, piece: Piece) -> Iterator[Piece]:
        """The same with a piece that ends its line itself."""
        self._interrupted = self._open or self._interrupted
        yield from self.end()
        yield piece

    def beside(self, piece: Piece) -> Iterator[Piece]:
        """The same where it has nothing to do with what is being said, which a screen then leaves whole."""
        if self._folded:
            yield replace(piece, beside=True)
        else:
            yield from self.aside(piece)

    @property
    def is_thought(self) -> bool:
        """Whether the line that has no end yet is one of thoughts."""
        return self._open is not None and self._open[0] is Tone.REASONING

    def end(self) -> Iterator[Piece]:
        if self._open is not None:
            yield Piece(self._open[0], "\n", is_preview=self._is_preview)
        self._open = None

    def forget(self) -> None:
        """What was interrupted will not go on."""
        self._interrupted = None
