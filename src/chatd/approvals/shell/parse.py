"""Parsing a shell command into the programs it would run (pure, bounded).

The grammar is that of POSIX `sh`. Rules decide about what is found here, so a command that some shell could
read in another way is not guessed at: `Script.unsure` says so, and no rule allows such a command.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping

from msgspec import Struct

from chatd.approvals.shell.script import (
    CHARACTERS_MAX,
    DEPTH_MAX,
    HERE_DOCUMENTS_MAX,
    WORDS_MAX,
    Found,
    Redirect,
    Script,
    Unsure,
    Word,
)
from chatd.approvals.shell.words import BLANKS, DELIMITERS, Reader
from chatd.approvals.shell.wrappers import Inner, program_of

_UNUSUAL = re.compile(r"[^ -~\t\n]")
_REDIRECT = re.compile(r"[0-9]*(<<<|<<-|<<|<&|<>|<|>>|>&|>\||>)")
_BARE = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_DESCRIPTOR = re.compile(r"(?:[0-9]+-?|-)\Z")
_VARIABLE_DESCRIPTOR = re.compile(r"\{[A-Za-z_]\w*\}\Z")
_SEPARATORS = ("&&", "||", "|&", "|", "&")
_NEEDS_ANOTHER = frozenset({"&&", "||", "|&", "|"})
_CASE_ENDS = (";;&", ";;", ";&")
# Files that hold nothing: opening them for writing changes nothing.
_NO_FILES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})

# Words of the grammar where a command may begin. Only some shells know the second group.
_MISPLACED = frozenset({"then", "do", "done", "fi", "elif", "else", "esac", "in", "}"})
_ONLY_SOME = frozenset({"function", "select", "coproc", "[[", "]]", "namespace", "repeat"})
RESERVED = _MISPLACED | _ONLY_SOME | {"if", "for", "while", "until", "case", "{", "!"}

_ENDS = "it ends in the middle of a command"


def parse_command(text: str) -> Script:
    """What the command would run. Never fails, and takes a time that is linear in the length."""
    found = Found()
    unsure: str | None = None
    try:
        _check(text)
        _Parser(text, found, depth=0).script()
    except Unsure as why:
        unsure = str(why)
    return Script(programs=tuple(found.programs), redirects=tuple(found.redirects), unsure=unsure)


def _check(text: str) -> None:
    if len(text) > CHARACTERS_MAX:
        raise Unsure(f"it has more than {CHARACTERS_MAX} characters")
    for character in set(_UNUSUAL.findall(text)):
        if unicodedata.category(character) in _INVISIBLE:
            raise Unsure("it has invisible characters")


# Blanks that are none for a shell, control and formatting characters, and halves of characters.
_INVISIBLE = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Cs"})


class _HereDocument(Struct, frozen=True, kw_only=True):
    delimiter: str
    strips_tabs: bool
    is_literal: bool


class _Parser(Reader):
    def __init__(self, text: str, found: Found, *, depth: int) -> None:
        super().__init__(text, found, depth)
        if depth > DEPTH_MAX:
            raise Unsure("it is nested too deeply")
        # Here-documents whose text begins in the next line; those before `_outer` are of an outer command.
        self._pending: list[_HereDocument] = []
        self._outer = 0

    def script(self) -> None:
        self._list()
        if self.at < len(self.text):
            raise Unsure(f"{self.peek()!r} is in an unexpected place")
        if self._pending:
            raise Unsure("a here-document has no end")

    # What words contain.

    def substitution(self) -> None:
        self.deeper()
        outer, self._outer = self._outer, len(self._pending)
        self._list()
        self._expect(")")
        if len(self._pending) > self._outer:
            raise Unsure("a here-document has no end")
        self._outer = outer
        self.depth -= 1

    def inner(self, text: str) -> None:
        _Parser(text, self.found, depth=self.depth + 1).script()

    def line_break(self) -> None:
        if self._pending:
            raise Unsure("a line ends inside a word, before the text of a here-document")

    # Lists of commands.

    def _list(self, *stops: str) -> None:
        """Commands up to the end, a closing parenthesis, the end of a case, or one of these words."""
        needs_another = False
        while True:
            self._skip_lines()
            if self._is_over(stops):
                if needs_another:
                    raise Unsure(_ENDS)
                return
            self._command()
            self._skip_blanks()
            separator = self._separator()
            if separator is None:
                return
            needs_another = separator in _NEEDS_ANOTHER

    def _is_over(self, stops: tuple[str, ...]) -> bool:
        return self.at >= len(self.text) or self.peek() in ");" or self._bare() in stops

    def _separator(self) -> str | None:
        if self.peek() == "\n":
            return "\n"  # _skip_lines takes it, and the text of here-documents after it.
        if self.peek() == ";":
            if self.peek(2) in (";;", ";&"):
                return None
            self.at += 1
            self.refuse_continuation()
            return ";"
        for separator in _SEPARATORS:
            if self.text.startswith(separator, self.at):
                self.at += len(separator)
                self.refuse_continuation()
                if separator == "&" and self.peek() == ">":
                    raise Unsure("`&>` is not the same in every shell")
                return separator
        return None

    def _command(self) -> None:
        if self.peek() == "(":
            self._subshell()
        elif (compound := _COMPOUNDS.get(bare := self._bare() or "")) is not None:
            self.deeper()
            self.at += len(bare)
            compound(self)
            self.depth -= 1
        elif bare in _ONLY_SOME:
            raise Unsure(f"`{bare}` is not known to every shell")
        elif bare in _MISPLACED:
            raise Unsure(f"`{bare}` is in an unexpected place")
        else:
            self._simple()
            return
        self._redirects()

    def _simple(self) -> None:
        words: list[Word] = []
        start = self.at
        while True:
            self._skip_blanks()
            character = self.peek()
            if character in ("", "\n", ";", "&", "|", ")"):
                break
            if character == "#":
                self._skip_comment()
                break
            if character == "(":
                self._function(words)
                return
            if self._redirect():
                continue
            word = self.word()
            if _VARIABLE_DESCRIPTOR.match(word.text) and self.peek() in ("<", ">"):
                raise Unsure("it has a redirection that only some shells know")
            words.append(word)
            if len(words) > WORDS_MAX:
                raise Unsure(f"a program has more than {WORDS_MAX} words")
        if not words and self.at == start:
            raise Unsure(f"{character!r} is in an unexpected place")
        self.run(words)

    def run(self, words: list[Word]) -> None:
        """A program with these words, and the programs that it runs in turn."""
        if not words:
            return
        program, inners = program_of(tuple(words))
        self.found.program(program)
        for inner in inners:
            self._inner_program(inner)

    def _inner_program(self, inner: Inner) -> None:
        if isinstance(inner, str):
            self.inner(inner)
            return
        command = next((word for word in inner if not word.assigns), None)
        if command is not None and command.text in RESERVED:
            raise Unsure(f"`{command.text}` is in an unexpected place")
        self.deeper()
        self.run(list(inner))
        self.depth -= 1

    def _function(self, words: list[Word]) -> None:
        """What a function does counts as done: whether it is called cannot be told."""
        if len(words) != 1 or not words[0].known or not _NAME.match(words[0].text):
            raise Unsure("'(' is in an unexpected place")
        self.at += 1
        self._skip_blanks()
        self._expect(")")
        self._skip_lines()
        if self.at >= len(self.text):
            raise Unsure(_ENDS)
        self.deeper()
        self._command()
        self.depth -= 1

    # Compound commands.

    def _subshell(self) -> None:
        if self.peek(2) == "((":
            raise Unsure("`((` is not the same in every shell")
        self.deeper()
        self.at += 1
        self.refuse_continuation()
        self._list()
        self._expect(")")
        self.depth -= 1

    def group(self) -> None:
        self._list("}")
        self._expect_word("}")

    def negated(self) -> None:
        self._skip_blanks()
        if self.at >= len(self.text) or self.peek() in "\n;&|)":
            raise Unsure(_ENDS)
        self._command()

    def conditional(self) -> None:
        self._list("then")
        self._expect_word("then")
        self._list("elif", "else", "fi")
        while self._bare() == "elif":
            self._expect_word("elif")
            self._list("then")
            self._expect_word("then")
            self._list("elif", "else", "fi")
        if self._bare() == "else":
            self._expect_word("else")
            self._list("fi")
        self._expect_word("fi")

    def while_loop(self) -> None:
        self._list("do")
        self._do()

    def _do(self) -> None:
        self._expect_word("do")
        self._list("done")
        self._expect_word("done")

    def loop(self) -> None:
        self._skip_blanks()
        name = self._bare()
        if name is None or not _NAME.match(name):
            raise Unsure("a loop has no plain name")
        self.at += len(name)
        self._skip_lines()
        if self._bare() == "in":
            self._expect_word("in")
            self._words_of_loop()
        elif self.peek() == ";":
            self.at += 1
        self._skip_lines()
        self._do()

    def _words_of_loop(self) -> None:
        self._skip_blanks()
        while self.peek() not in ("", "\n", ";"):
            if self.peek() in DELIMITERS:
                raise Unsure(f"{self.peek()!r} is in an unexpected place")
            self.word()
            self._skip_blanks()
        if self.peek() == ";":
            self.at += 1

    def case(self) -> None:
        self._skip_blanks()
        self._a_word()
        self._skip_lines()
        self._expect_word("in")
        self._skip_lines()
        while self._bare() != "esac":
            self._case_item()
            self._skip_lines()
        self._expect_word("esac")

    def _case_item(self) -> None:
        if self.peek() == "(":
            self.at += 1
        while True:
            self._skip_blanks()
            self._a_word()
            self._skip_blanks()
            if self.peek() != "|":
                break
            self.at += 1
        self._expect(")")
        self._list("esac")
        for end in _CASE_ENDS:
            if self.text.startswith(end, self.at):
                self.at += len(end)
                return
        if self._bare() != "esac":
            raise Unsure("a case has no end")

    # Redirections.

    def _redirects(self) -> None:
        self._skip_blanks()
        while self._redirect():
            self._skip_blanks()

    def _redirect(self) -> bool:
        operator = _REDIRECT.match(self.text, self.at)
        if operator is None:
            return False
        if operator.group() in ("<", ">") and self.text.startswith("(", operator.end()):
            return False  # A process substitution, which is a word.
        self.at = operator.end()
        self.refuse_continuation()
        self._skip_blanks()
        start = self.at
        target = self._a_word()
        match operator.group(1):
            case "<<" | "<<-" as here:
                self._here_document(target, self.text[start : self.at], strips_tabs=here == "<<-")
            case "<<<":
                pass
            case "<&" | ">&" if target.known and _DESCRIPTOR.match(target.text):
                pass
            case "<&":
                raise Unsure("it redirects in a way that only some shells know")
            case sign:
                if not target.known or target.text not in _NO_FILES:
                    self.found.redirect(Redirect(target=target, writes=sign != "<"))
        return True

    def _here_document(self, delimiter: Word, raw: str, *, strips_tabs: bool) -> None:
        if not delimiter.known or "$" in raw or "\n" in raw:
            raise Unsure("a here-document has an end that cannot be told")
        document = _HereDocument(
            delimiter=delimiter.text,
            strips_tabs=strips_tabs,
            is_literal=any(quote in raw for quote in "'\"\\"),
        )
        self._pending.append(document)
        if len(self._pending) > HERE_DOCUMENTS_MAX:
            raise Unsure(f"a line begins more than {HERE_DOCUMENTS_MAX} here-documents")

    def _here_documents(self) -> None:
        if self._pending and self._outer:
            raise Unsure("a line ends inside a word, before the text of a here-document")
        pending, self._pending = self._pending, []
        for document in pending:
            body = self._body(document)
            if not document.is_literal:
                _Parser(body, self.found, depth=self.depth + 1).expansions()

    def _body(self, document: _HereDocument) -> str:
        start = self.at
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[self.at : end]
            if (line.lstrip("\t") if document.strips_tabs else line) == document.delimiter:
                body = self.text[start : self.at]
                self.at = min(end + 1, len(self.text))
                return body
            self.at = end + 1
        raise Unsure("a here-document has no end")

    # Small things.

    def _a_word(self) -> Word:
        start = self.at
        word = self.word()
        if self.at == start:
            raise Unsure(_ENDS if self.at >= len(self.text) else f"{self.peek()!r} is in an unexpected place")
        return word

    def _bare(self) -> str | None:
        """The word at this place, if nothing in it is quoted or expanded."""
        bare = _BARE.match(self.text, self.at)
        if bare is None:
            return None
        following = self.text[bare.end() : bare.end() + 1]
        return bare.group() if following == "" or following in DELIMITERS else None

    def _expect(self, character: str) -> None:
        if self.peek() != character:
            raise Unsure(_ENDS if self.peek() == "" else f"{self.peek()!r} is in an unexpected place")
        self.at += 1

    def _expect_word(self, word: str) -> None:
        if self._bare() != word:
            raise Unsure(f"`{word}` is missing")
        self.at += len(word)

    def _skip_blanks(self) -> None:
        while True:
            while self.peek() != "" and self.peek() in BLANKS:
                self.at += 1
            if self.peek(2) != "\\\n":
                return
            self.line_break()
            self.at += 2

    def _skip_comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _skip_lines(self) -> None:
        """Blanks, comments and ends of lines, with the here-documents that begin there."""
        while True:
            self._skip_blanks()
            if self.peek() == "#":
                self._skip_comment()
            elif self.peek() == "\n":
                self.at += 1
                self._here_documents()
            else:
                return


_COMPOUNDS: Mapping[str, Callable[[_Parser], None]] = {
    "if": _Parser.conditional,
    "for": _Parser.loop,
    "while": _Parser.while_loop,
    "until": _Parser.while_loop,
    "case": _Parser.case,
    "{": _Parser.group,
    "!": _Parser.negated,
}
