"""Which files the usual programs would change, by their words (pure).

Not all of what a program may change can be seen here; a sandbox confines that. This is for the programs with
which a file is put in a place in passing: of these, a file whose change has effects beyond itself is asked
for, as if the shell had opened it.
"""

from collections.abc import Iterator
from itertools import dropwhile
from posixpath import basename

from chatd.approvals.shell.script import Program

# Any of their words may be what they write to, or the directory in which they do so.
_WRITERS = frozenset(
    {"chmod", "cp", "dd", "install", "ln", "mv", "patch", "rsync", "sed", "tee", "touch", "truncate"}
)
# After these, the names that follow are in there.
_MOVERS = frozenset({"cd", "chdir", "pushd"})
# Options of git before its command that take the next word.
_GIT_TAKES_WORD = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_GIT_READS = frozenset(
    {"--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "get", "list", "--show-origin"}
)
GIT_CONFIG = ".git/config"


def changed_files(program: Program) -> Iterator[str]:
    """Paths that the program may change, as they are written; more than it does, rather than less."""
    # Variables are set only before the name: `of=x` behind it is a word like any other.
    words = [word.text for word in dropwhile(lambda word: word.assigns, program.words)]
    if not words:
        return
    name, rest = basename(words[0]), words[1:]
    if name in _WRITERS or name in _MOVERS:
        for word in rest:
            yield from _paths_in(word)
    elif name == "git" and _writes_config(rest):
        yield GIT_CONFIG


def _paths_in(word: str) -> Iterator[str]:
    """The word itself, and what an option has in itself: `--target-directory=x`, `-tx`, `of=x`."""
    if not word.startswith("-"):
        yield word
    elif not word.startswith("--"):
        yield word[2:]
    if "=" in word:
        yield word.partition("=")[2]


def _writes_config(words: list[str]) -> bool:
    """Whether `git` with these words changes what git itself is told: also which programs it runs."""
    command = _git_command(words)
    if command[:1] != ["config"]:
        return False
    given = command[1:]
    if _GIT_READS.intersection(given):
        return False
    # With nothing but a name, its value is shown.
    return len([word for word in given if not word.startswith("-")]) != 1 or any(
        word.startswith(("--unset", "--remove", "--rename", "--edit", "-e")) for word in given
    )


def _git_command(words: list[str]) -> list[str]:
    """Without the options of git before its command."""
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in _GIT_TAKES_WORD else 1 :]
    return words
