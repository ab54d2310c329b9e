"""The other ways to write the same program, which a rule against it means as well (pure).

A rule that allows is for the very words. One that denies or asks would be worth nothing if a path before the
name, a variable or an option in front of the command led around it.
"""

from collections.abc import Iterator, Sequence
from itertools import dropwhile
from posixpath import basename

from chatd.approvals.shell.script import Word

# Options of git before its command that take the next word.
_GIT_TAKES_WORD = frozenset(
    {
        "-C",
        "-c",
        "--attr-source",
        "--config-env",
        "--exec-path",
        "--git-dir",
        "--namespace",
        "--super-prefix",
        "--work-tree",
    }
)


def spellings(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """As it is written; by its bare name, without variables; and of git without the options in front."""
    yield words
    bare = tuple(dropwhile(lambda word: word.assigns, words))
    if not bare:
        return
    name = Word(basename(bare[0].text), bare[0].known)
    yield (name, *bare[1:])
    if name.text == "git":
        yield (name, *bare[1 + git_options([word.text for word in bare[1:]]) :])


def git_options(words: Sequence[str]) -> int:
    """How many words are options of git itself, before its command."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GIT_TAKES_WORD else 1
    return min(at, len(words))
