"""What a shell command would do, as far as it can be told without running it."""

from msgspec import Struct

CHARACTERS_MAX = 20_000
# Substitutions, groups, loops and wrappers inside one another.
DEPTH_MAX = 12
PROGRAMS_MAX = 200
# Of one program.
WORDS_MAX = 1000
# Begun in one line.
HERE_DOCUMENTS_MAX = 16
# Characters read, those of text inside text counted again at each level.
WORK_MAX = CHARACTERS_MAX * 4


class Unsure(Exception):
    """The command cannot be understood surely. Says why, for the person who is asked."""


class Word(Struct, frozen=True):
    """One word of a command. `text` is what the program is given; of a word that is not known before the
    command runs (a variable, a pattern of file names), it is how the word is written.
    """

    text: str
    known: bool = True
    # NAME=value, unquoted: sets a variable if it stands before the command.
    assigns: bool = False


class Program(Struct, frozen=True, kw_only=True):
    """A program with its words. Variables that are set for it come first, as NAME=value."""

    words: tuple[Word, ...]
    # Only runs another program, which is listed as well: `timeout`, `env`, `sh -c`.
    is_wrapper: bool = False


class Redirect(Struct, frozen=True, kw_only=True):
    """A file that the shell itself opens for a program."""

    target: Word
    writes: bool


class Script(Struct, frozen=True, kw_only=True):
    """All programs of a command, the ones of loops, functions and substitutions included."""

    programs: tuple[Program, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    # Why there may be more than this. None: this is all.
    unsure: str | None = None


class Found:
    """What was found so far, within its bounds."""

    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.redirects: list[Redirect] = []
        self._work = 0

    def charge(self, characters: int) -> None:
        self._work += characters
        if self._work > WORK_MAX:
            raise Unsure("it is too long")

    def program(self, program: Program) -> None:
        if len(self.programs) >= PROGRAMS_MAX:
            raise Unsure(f"it runs more than {PROGRAMS_MAX} programs")
        self.programs.append(program)

    def redirect(self, redirect: Redirect) -> None:
        if len(self.redirects) >= PROGRAMS_MAX:
            raise Unsure(f"it opens more than {PROGRAMS_MAX} files")
        self.redirects.append(redirect)
