"""Which files the usual programs would change, by their words (pure).

Not all of what a program may change can be seen here; a sandbox confines that. This is for the programs with
which a file is put in a place in passing: of these, a file whose change has effects beyond itself is asked
for, as if the shell had opened it.
"""

from collections.abc import Iterator, Mapping
from itertools import dropwhile
from posixpath import basename

from chatd.approvals.shell.script import Program
from chatd.approvals.shell.spellings import git_options

# Any of their words may be what they write to, or the directory in which they do so.
_WRITERS = frozenset(
    {"chmod", "cp", "dd", "install", "ln", "mv", "patch", "rsync", "sed", "tee", "touch", "truncate"}
)
# Of programs that mostly read: the options whose value is a file, or a directory, that they write to.
_WRITING_OPTIONS: Mapping[str, frozenset[str]] = {
    "curl": frozenset({"-o", "--output", "--output-dir"}),
    "find": frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"}),
    "git": frozenset({"-o", "--output", "--output-directory"}),
    "sort": frozenset({"-o", "--output"}),
    "tar": frozenset({"-C", "--directory"}),
    "unzip": frozenset({"-d"}),
    "wget": frozenset({"-O", "--output-document", "-P", "--directory-prefix"}),
}
# After these, the names that follow are in there.
_MOVERS = frozenset({"cd", "chdir", "pushd"})
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
    else:
        yield from _behind_options(name, rest)


def _behind_options(name: str, words: list[str]) -> Iterator[str]:
    """What a program that mostly reads is told to write to: `find -fprint x`, `sort -o x`, `tar -C x`."""
    options = _WRITING_OPTIONS.get(name, frozenset())
    for at, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in options:
            yield from (value, *words[at + 1 : at + 2])
        elif word[:2] in options and not word.startswith("--"):
            yield word[2:]


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
    command = words[git_options(words) :]
    if command[:1] != ["config"]:
        return False
    given = command[1:]
    if _GIT_READS.intersection(given):
        return False
    # With nothing but a name, its value is shown.
    return len([word for word in given if not word.startswith("-")]) != 1 or any(
        word.startswith(("--unset", "--remove", "--rename", "--edit", "-e")) for word in given
    )
