"""Front matter: the fields between two lines `---` at the top of a text, each a name and a text.

What is read is the part of YAML that such fields are written in: plain, quoted and block texts. Everything
else, such as a list or a field inside of a field, is taken as text. Nothing is expanded, and the time that it
takes is linear in the length of the text.
"""

import json
import re
import textwrap
from collections.abc import Sequence

_FIELD = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*:(?:[ \t]+(.*))?")
_BLOCK = re.compile(r"[|>][+-]?[0-9]?[+-]?[ \t]*(?:#.*)?")
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*+)'[ \t]*(?:#.*)?")
_MARK = "---"
_ENDS = frozenset({_MARK, "..."})


class BadFrontMatter(Exception):
    """The text has none, or one that cannot be read. The message says why."""


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The fields, and the text below them. Raises BadFrontMatter."""
    lines = text.split("\n")
    if lines[0].rstrip() != _MARK:
        raise BadFrontMatter("It does not begin with a line `---`.")
    end = next((k for k, line in enumerate(lines[1:], 1) if line.rstrip() in _ENDS), None)
    if end is None:
        raise BadFrontMatter("The line `---` that ends the front matter is missing.")
    return _fields(lines[1:end]), "\n".join(lines[end + 1 :])


def _fields(lines: Sequence[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    k = 0
    while k < len(lines):
        line = lines[k].rstrip()
        k += 1
        if not line or line.startswith("#"):
            continue
        found = _FIELD.fullmatch(line)
        if found is None:
            raise BadFrontMatter(f"Line {k + 1} is no field of the form `name: text`.")
        if found[1] in fields:
            raise BadFrontMatter(f"The field `{found[1]}` is there twice.")
        begin = k
        while k < len(lines) and _continues(lines[k]):
            k += 1
        fields[found[1]] = _text(found[1], (found[2] or "").strip(), lines[begin:k])
    return fields


def _continues(line: str) -> bool:
    return not line.strip() or line[0] in " \t" or line.startswith("- ")


def _text(name: str, first: str, more: Sequence[str]) -> str:
    if _BLOCK.fullmatch(first):
        block = textwrap.dedent("\n".join(more)).strip("\n")
        return block if first[0] == "|" else _folded(block)
    whole = " ".join([first, *(line.strip() for line in more if line.strip())]).strip()
    if whole.startswith('"'):
        return _double_quoted(name, whole)
    if whole.startswith("'"):
        quoted = _SINGLE_QUOTED.fullmatch(whole)
        if quoted is None:
            raise BadFrontMatter(f"The quotes around the field `{name}` do not match.")
        return quoted[1].replace("''", "'")
    return whole.partition(" #")[0].rstrip()


def _double_quoted(name: str, whole: str) -> str:
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(whole)
    except ValueError as error:
        raise BadFrontMatter(f"The quotes around the field `{name}` do not match.") from error
    rest = whole[end:].strip()
    if not isinstance(value, str) or (rest and not rest.startswith("#")):
        raise BadFrontMatter(f"There is more behind the quotes of the field `{name}`.")
    return value


def _folded(block: str) -> str:
    """Lines of a paragraph are one line; an empty line ends it."""
    return "\n".join(" ".join(paragraph.split("\n")) for paragraph in block.split("\n\n"))
