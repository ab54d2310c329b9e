"""What a file is called on its way: out to a browser, and in from a caller."""

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import quote, unquote_to_bytes

# The longest name in both spellings, each character in up to twelve of the header's.
HEADER_LENGTH_MAX = 4096

# One parameter, matched where the one before it ended: each character is looked at once.
_PARAMETER = re.compile(
    r""";\s*(?P<key>[^\s;="]+)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^;"]*))\s*"""
)
# Other backslashes belong to a path.
_ESCAPED = re.compile(r'\\(["\\])')
# The only ones that RFC 8187 knows, and the one that every text in them may also be called.
_CHARSETS = frozenset({"utf-8", "iso-8859-1", "us-ascii"})


def named(name: str, kind: Literal["inline", "attachment"]) -> dict[str, str]:
    """The header, for names in any script."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "_" for c in name)
    exact = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Disposition": f'{kind}; filename="{plain}"{exact}'}


def as_attachment(name: str) -> dict[str, str]:
    return named(name, "attachment")


def name_in(header: str) -> str | None:
    """The name of a file, without the folders it came from; None when the header has none."""
    if len(header) > HEADER_LENGTH_MAX:
        return None
    given = dict(parameters_of(header))
    name = _extended(given.get("filename*", "")) or given.get("filename", "")
    return name.replace("\\", "/").rpartition("/")[2].strip() or None


def parameters_of(header: str) -> Iterator[tuple[str, str]]:
    """What follows the kind, up to the first thing that is no parameter."""
    position = header.find(";")
    while position >= 0 and (found := _PARAMETER.match(header, position)):
        quoted, bare = found["quoted"], found["bare"]
        yield found["key"].lower(), _ESCAPED.sub(r"\1", quoted) if quoted is not None else bare.strip()
        position = found.end()


def _extended(value: str) -> str | None:
    """A value with its encoding, as RFC 8187 has it; None when it is not written so."""
    charset, _, rest = value.partition("'")
    _, apostrophe, encoded = rest.partition("'")
    if not apostrophe or charset.lower() not in _CHARSETS:
        return None
    return unquote_to_bytes(encoded).decode(charset, "replace")
