"""Programs that run other programs: which words of theirs are the command they run.

An option that is not in the table may change which words those are, so it makes the command unsure.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from chatd.approvals.shell.script import Program, Unsure, Word

# The words of a program that is run by another, or the text of a script.
Inner: TypeAlias = tuple[Word, ...] | str
Words: TypeAlias = tuple[Word, ...]

# Where the programs of the system are. A wrapper from elsewhere may be another program of that name.
_SYSTEM = ("/bin/", "/usr/bin/")


class Wrapper(Struct, frozen=True, kw_only=True):
    """The options of a program that runs the command behind them."""

    # Options of one letter, without and with a value.
    flags: str = ""
    values: str = ""
    long_flags: frozenset[str] = frozenset()
    long_values: frozenset[str] = frozenset()
    # Words between the options and the command.
    operands: int = 0
    # Words with `=` before the command are variables, whatever their names.
    assigns: bool = False
    # With this option it runs nothing, and only tells something.
    tells: str = ""
    # Does more than to run the command, as another user or with a file of its own: needs a rule of its own.
    elevates: bool = False


WRAPPERS: Mapping[str, Wrapper] = {
    "builtin": Wrapper(),
    "busybox": Wrapper(),
    "chrt": Wrapper(flags="bfior", operands=1),
    "chroot": Wrapper(operands=1, elevates=True),
    "command": Wrapper(flags="p", tells="vV"),
    "doas": Wrapper(flags="n", values="u", elevates=True),
    "env": Wrapper(
        flags="i0",
        values="u",
        long_flags=frozenset({"ignore-environment", "null"}),
        long_values=frozenset({"unset"}),
        assigns=True,
    ),
    "exec": Wrapper(flags="cl", values="a"),
    "flock": Wrapper(
        flags="enosux",
        values="Ew",
        long_flags=frozenset({"close", "exclusive", "nonblock", "shared", "verbose"}),
        long_values=frozenset({"conflict-exit-code", "timeout", "wait"}),
        operands=1,
        elevates=True,
    ),
    "ionice": Wrapper(flags="t", values="cn"),
    "nice": Wrapper(flags="0123456789", values="n", long_values=frozenset({"adjustment"})),
    "nohup": Wrapper(),
    "setsid": Wrapper(flags="cfw", long_flags=frozenset({"ctty", "fork", "wait"})),
    "stdbuf": Wrapper(values="ioe", long_values=frozenset({"input", "output", "error"})),
    "sudo": Wrapper(
        flags="AbEHkNnPS",
        values="ugpCT",
        long_flags=frozenset({"preserve-env", "set-home", "non-interactive", "stdin"}),
        long_values=frozenset({"user", "group"}),
        assigns=True,
        elevates=True,
    ),
    "taskset": Wrapper(flags="ac", long_flags=frozenset({"all-tasks"}), operands=1),
    # A word of the grammar in some shells, which take variables behind it for what they are.
    "time": Wrapper(flags="pv", long_flags=frozenset({"portability", "verbose"}), assigns=True),
    "timeout": Wrapper(
        flags="v",
        values="ks",
        long_flags=frozenset({"preserve-status", "foreground", "verbose"}),
        long_values=frozenset({"kill-after", "signal"}),
        operands=1,
    ),
    "toybox": Wrapper(),
    "xargs": Wrapper(
        flags="0rtx",
        values="nPILsdaE",
        long_flags=frozenset({"null", "no-run-if-empty", "verbose", "exit"}),
        long_values=frozenset({"max-args", "max-procs", "max-lines", "max-chars", "delimiter", "arg-file"}),
    ),
}

# Shells whose `-c` takes a text of the grammar that we parse.
_SHELLS = frozenset({"sh", "bash", "dash", "ash"})
_OTHER_SHELLS = frozenset({"zsh", "ksh", "mksh", "csh", "tcsh", "fish", "rbash", "pwsh"})
_SHELL_FLAGS = frozenset("ceiluvx")

# What these run, or what words mean after them, cannot be seen.
_UNSEEN: Mapping[str, str] = {
    "alias": "gives programs other names",
    "enable": "changes which commands are built in",
    "eval": "runs a text that is put together while it runs",
    "hash": "changes where programs are found",
    "parallel": "runs commands that are put together while it runs",
    "script": "runs a text as a command",
    "shopt": "changes how commands are read",
    "su": "runs a text as a command",
    "watch": "runs a text as a command",
    "let": "calculates with more than numbers",
}
# Built-in commands of bash that evaluate a word as an expression, and with it the commands in it.
_EVALUATES = frozenset(
    {
        "[",
        "declare",
        "export",
        "local",
        "mapfile",
        "printf",
        "read",
        "readarray",
        "readonly",
        "test",
        "typeset",
        "unset",
        "wait",
    }
)
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_PLACEHOLDER = "{}"


def program_of(words: Words) -> tuple[Program, list[Inner]]:
    """The program that these words run, and what it runs in turn."""
    start = next((index for index, word in enumerate(words) if not word.assigns), None)
    if start is None:
        return Program(words=words), []
    command = words[start]
    if not command.known:
        raise Unsure(f"the program `{command.text}` is not known before it runs")
    name = command.text.rsplit("/", 1)[-1]
    if name in _UNSEEN:
        raise Unsure(f"`{name}` {_UNSEEN[name]}")
    if name in _EVALUATES and not all(map(_is_plain, words)):
        raise Unsure(f"`{name}` may run the text of a word as a command")
    if name in _SHELLS | _OTHER_SHELLS:
        return _shell(name, words, start)
    if name in WRAPPERS:
        return _wrapper(WRAPPERS[name], words, start)
    if (runs := _RUNS.get(name)) is not None:
        return Program(words=words), runs(words[start + 1 :])
    return Program(words=words), []


def _is_plain(word: Word) -> bool:
    return word.known and "$(" not in word.text and "`" not in word.text


def _wrapper(wrapper: Wrapper, words: Words, start: int) -> tuple[Program, list[Inner]]:
    rest = _options(wrapper, words, start + 1)
    if rest is None:
        return Program(words=words), []
    rest += wrapper.operands
    if not all(word.known for word in words[start:rest]):
        raise Unsure(f"the words of `{words[start].text}` are not known before it runs")
    # What looks like a variable is the name of a program, unless the wrapper sets variables.
    inner = tuple(Word(word.text, word.known, wrapper.assigns and "=" in word.text) for word in words[rest:])
    if not inner:
        return Program(words=words), []
    if inner[0].text.startswith("-"):
        raise Unsure(f"the option `{inner[0].text}` may change which program runs")
    name = words[start].text.rsplit("/", 1)[-1]
    if name == "xargs":
        inner = _with_input(words[start + 1 : rest], inner)
    is_system = words[start].text == name or words[start].text.startswith(_SYSTEM)
    # A variable that is set for a wrapper is set for what it runs.
    return (
        Program(words=words[:rest], is_wrapper=is_system and not wrapper.elevates and start == 0),
        [inner],
    )


def _options(wrapper: Wrapper, words: Words, at: int) -> int | None:
    """Where the options end. None: with these, nothing is run."""
    while at < len(words):
        word = words[at]
        if not word.known:
            raise Unsure(f"what `{word.text}` stands for decides which program runs")
        if word.text == "--":
            return at + 1
        if not word.text.startswith("-") or word.text == "-":
            return at
        if word.text.startswith("--"):
            at = _long_option(wrapper, word.text, at)
            continue
        step = _letters(wrapper, word.text)
        if step is None:
            return None
        at += step
    return at


def _long_option(wrapper: Wrapper, text: str, at: int) -> int:
    name, equals, _ = text[2:].partition("=")
    if name in wrapper.long_values:
        return at + (1 if equals else 2)
    if name in wrapper.long_flags:
        return at + 1
    raise Unsure(f"the option `{text}` may change which program runs")


def _letters(wrapper: Wrapper, text: str) -> int | None:
    """How many words options of one letter take, several of which may be in one word."""
    for index, letter in enumerate(text[1:], start=1):
        if letter in wrapper.tells:
            return None
        if letter in wrapper.values:
            return 1 if index + 1 < len(text) else 2
        if letter not in wrapper.flags:
            raise Unsure(f"the option `{text}` may change which program runs")
    return 1


def _with_input(options: Words, inner: Words) -> Words:
    """What `xargs` reads is added to the command, at the end or in the place of a word."""
    replaced = ""
    for index, option in enumerate(options):
        if "I" in option.text[2:] and not option.text.startswith(("-I", "--")):
            raise Unsure(f"the option `{option.text}` may change which program runs")
        if option.text.startswith("-I"):
            replaced = option.text[2:] or (options[index + 1].text if index + 1 < len(options) else "")
    if not replaced:
        return (*inner, Word("…", known=False))
    return tuple(Word(w.text, known=False, assigns=w.assigns) if replaced in w.text else w for w in inner)


def _shell(name: str, words: Words, start: int) -> tuple[Program, list[Inner]]:
    at = start + 1
    runs_text = False
    while at < len(words) and words[at].known and words[at].text.startswith("-"):
        letters = words[at].text[1:]
        if not letters or not _SHELL_FLAGS.issuperset(letters):
            raise Unsure(f"the option `{words[at].text}` of `{name}` may change what it runs")
        runs_text = runs_text or "c" in letters
        at += 1
    if at >= len(words) or not words[at].known or words[at].text.startswith("+"):
        raise Unsure(f"what `{name}` runs is not known before it runs")
    if not runs_text:
        return Program(words=words), []
    if name in _OTHER_SHELLS:
        raise Unsure(f"the language of `{name}` is not understood")
    is_wrapper = words[start].text in (name, *(place + name for place in _SYSTEM)) and start == 0
    return Program(words=words, is_wrapper=is_wrapper), [words[at].text]


def _find(words: Words) -> list[Inner]:
    inners: list[Inner] = []
    at = 0
    while at < len(words):
        if not words[at].known:
            raise Unsure(f"what `{words[at].text}` stands for decides what `find` runs")
        if words[at].text not in _FIND_RUNS:
            at += 1
            continue
        end = next((i for i in range(at + 1, len(words)) if words[i].text in (";", "+")), None)
        if end is None or end == at + 1:
            raise Unsure("the command that `find` runs has no end")
        run = words[at + 1 : end]
        inners.append(tuple(Word(w.text, known=False) if _PLACEHOLDER in w.text else w for w in run))
        at = end + 1
    return inners


def _trap(words: Words) -> list[Inner]:
    if words and words[0].known and words[0].text == "--":
        words = words[1:]
    if not words:
        return []
    if not words[0].known:
        raise Unsure(f"what `{words[0].text}` stands for is run later")
    return [] if words[0].text in ("", "-", "-l", "-p") else [words[0].text]


_RUNS: Mapping[str, Callable[[Words], list[Inner]]] = {"find": _find, "trap": _trap}
