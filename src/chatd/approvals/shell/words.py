"""Reading one word of a shell command: quotes, escapes and expansions.

What `sh`, `dash` and `bash` read differently is not guessed: it raises Unsure.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial

from chatd.approvals.shell.script import DEPTH_MAX, Found, Unsure, Word

BLANKS = " \t"
# What ends a word that is not quoted.
DELIMITERS = frozenset(" \t\n;&|<>()")

_PLAIN = re.compile(r"[^ \t\n;&|<>()'\"\\$`*?\[{~]+")
_IN_DOUBLE_QUOTES = re.compile(r"[^\"\\$`]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_APPENDING = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+=")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_PARAMETER = re.compile(r"#?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])")
# Default, alternative, message, and what is cut off; assignments and what only bash has are left out.
_OPERATOR = re.compile(r":?[-+?]|##?|%%?")
# Numbers only: bash evaluates what a name in an expression stands for, and that may be a command.
_ARITHMETIC = re.compile(r"\$\(\([0-9 \t+*/%()<>=!&|^~-]*\)\)")
_BRACE = re.compile(r"(?<!\\)\{")
_PATTERN_CHARACTERS = frozenset("*?[")
_ESCAPED_IN_DOUBLE_QUOTES = frozenset('$`"\\')
_ESCAPED_IN_BACKTICKS = frozenset("$`\\")
_ONLY_SOME_QUOTES = "it has quotes that only some shells know"
_ONLY_SOME_EXPANSIONS = "it has an expansion that only some shells know"
_UNBALANCED = "its quotes or parentheses are not balanced"


class Reader(ABC):
    """A place in a text. What is inside a substitution is left to the subclass."""

    def __init__(self, text: str, found: Found, depth: int) -> None:
        found.charge(len(text))
        self.text = text
        self.at = 0
        self.found = found
        self.depth = depth

    @abstractmethod
    def substitution(self) -> None:
        """Reads a list of commands and the parenthesis that closes it."""

    @abstractmethod
    def inner(self, text: str) -> None:
        """Reads a text that is a script of its own."""

    @abstractmethod
    def line_break(self) -> None:
        """A line ends inside a word."""

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise Unsure("it is nested too deeply")

    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def refuse_continuation(self) -> None:
        """An operator that goes on in the next line is read as one by some shells."""
        if self.peek(2) == "\\\n":
            raise Unsure("a line is continued in the middle of an operator")

    def word(self) -> Word:
        start = self.at
        said: list[str] = []
        known = True
        if self.peek(2) in ("<(", ">("):
            self.at += 2
            self.substitution()
            known = False
        while self.at < len(self.text):
            if plain := _PLAIN.match(self.text, self.at):
                said.append(plain.group())
                self.at = plain.end()
                continue
            character = self.text[self.at]
            if character in DELIMITERS:
                break
            if (read := _PIECES.get(character)) is not None:
                piece, is_known = read(self)
            else:
                piece, is_known = character, not self._expands(character, start)
                self.at += 1
            said.append(piece)
            known = known and is_known
        return _word("".join(said), self.text[start : self.at], known=known)

    def _expands(self, character: str, start: int) -> bool:
        if character == "~":
            return self.at == start or self.text[self.at - 1] in "=:"
        return character in _PATTERN_CHARACTERS

    # Each reads one piece of a word, and says what it stands for and whether that is known.

    def single_quoted(self) -> tuple[str, bool]:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Unsure(_UNBALANCED)
        said = self.text[self.at + 1 : end]
        if "\n" in said:
            self.line_break()
        self.at = end + 1
        return said, True

    def escaped(self) -> tuple[str, bool]:
        character = self.peek(2)[1:]
        if not character:
            raise Unsure("it ends with a backslash")
        self.at += 2
        if character == "\n":
            self.line_break()
            return "", True
        return character, True

    def double_quoted(self) -> tuple[str, bool]:
        self.at += 1
        said: list[str] = []
        known = True
        while self.peek() != '"':
            if plain := _IN_DOUBLE_QUOTES.match(self.text, self.at):
                piece, is_known = plain.group(), True
                if "\n" in piece:
                    self.line_break()
                self.at = plain.end()
            elif (read := _QUOTED_PIECES.get(self.peek())) is not None:
                piece, is_known = read(self)
            else:
                raise Unsure(_UNBALANCED)
            said.append(piece)
            known = known and is_known
        self.at += 1
        return "".join(said), known

    def escaped_in_double_quotes(self) -> tuple[str, bool]:
        following = self.peek(2)[1:]
        said, _ = self.escaped()
        is_escape = following == "\n" or following in _ESCAPED_IN_DOUBLE_QUOTES
        return said if is_escape else "\\" + said, True

    def dollar(self, *, quoted: bool = False) -> tuple[str, bool]:
        following = self.peek(3)[1:]
        if following == "((":
            expression = _ARITHMETIC.match(self.text, self.at)
            if expression is None:
                raise Unsure("it calculates with more than numbers")
            self.at = expression.end()
            return "", False
        self.at += 1
        self.refuse_continuation()
        match following[:1]:
            case "(":
                self.at += 1
                self.substitution()
            case "{":
                self._parameter(quoted=quoted)
            case "[":
                raise Unsure(_ONLY_SOME_EXPANSIONS)
            case "'" | '"' if not quoted:
                raise Unsure(_ONLY_SOME_QUOTES)
            case _:
                name = _NAME.match(self.text, self.at)
                if name is None:
                    return "$", True
                self.at = name.end()
        return "", False

    def _parameter(self, *, quoted: bool) -> None:
        self.at += 1
        parameter = _PARAMETER.match(self.text, self.at)
        if parameter is None:
            raise Unsure(_ONLY_SOME_EXPANSIONS)
        self.at = parameter.end()
        if self.peek() == "}":
            self.at += 1
            return
        operator = _OPERATOR.match(self.text, self.at)
        if operator is None:
            raise Unsure(_ONLY_SOME_EXPANSIONS)
        self.at = operator.end()
        self.deeper()
        while (character := self.peek()) != "}":
            if character == "":
                raise Unsure(_UNBALANCED)
            if quoted and character in "'\"":
                raise Unsure(_ONLY_SOME_QUOTES)
            if character == "\n":
                self.line_break()
            read = (_QUOTED_PIECES if quoted else _PIECES).get(character)
            if read is not None:
                read(self)
            else:
                self.at += 1
        self.at += 1
        self.depth -= 1

    def backticks(self, *, quoted: bool = False) -> tuple[str, bool]:
        self.at += 1
        said: list[str] = []
        while (character := self.peek()) != "`":
            if character == "":
                raise Unsure(_UNBALANCED)
            following = self.peek(2)[1:]
            if character == "\\" and following == '"' and quoted:
                raise Unsure(_ONLY_SOME_QUOTES)
            if character == "\\" and following in _ESCAPED_IN_BACKTICKS:
                self.at += 1
                character = following
            elif character == "\n":
                self.line_break()
            said.append(character)
            self.at += 1
        self.at += 1
        self.inner("".join(said))
        return "", False

    def expansions(self) -> None:
        """Reads the body of a here-document, in which only expansions count."""
        while self.at < len(self.text):
            match self.text[self.at]:
                case "\\":
                    if self.peek(2) == "\\\n":
                        raise Unsure("a line of a here-document is continued")
                    self.at += 2
                case "$":
                    self.dollar(quoted=True)
                case "`":
                    self.backticks(quoted=True)
                case _:
                    self.at += 1


def _word(said: str, written: str, *, known: bool) -> Word:
    raw = written.replace("\\\n", "")
    if _APPENDING.match(raw):
        raise Unsure("it appends to a variable, or runs a program of a strange name")
    if raw == "[":
        return Word("[")
    # bash makes several words of `{a,b}` and `{1..3}`.
    known = known and not (_BRACE.search(raw) and ("," in raw or ".." in raw))
    return Word(said if known else raw, known, _ASSIGNMENT.match(raw) is not None)


_PIECES: Mapping[str, Callable[[Reader], tuple[str, bool]]] = {
    "'": Reader.single_quoted,
    '"': Reader.double_quoted,
    "\\": Reader.escaped,
    "$": Reader.dollar,
    "`": Reader.backticks,
}
_QUOTED_PIECES: Mapping[str, Callable[[Reader], tuple[str, bool]]] = {
    "\\": Reader.escaped_in_double_quotes,
    "$": partial(Reader.dollar, quoted=True),
    "`": partial(Reader.backticks, quoted=True),
}
