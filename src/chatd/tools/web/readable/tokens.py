"""HTML in pieces: tags and the text between them (pure).

Written for pages of which anything can be expected. Each character is looked at a bounded number of times,
whatever the page is: there is no recursion, and a search that finds nothing ends the page.
"""

import re
from collections.abc import Generator, Iterator, Mapping
from html import unescape
from typing import TypeAlias

from msgspec import Struct

# Elements whose content is no HTML, up to their end tag. Of these only a title is text for people.
RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
# The attributes that are kept.
KEPT = frozenset({"alt", "aria-hidden", "hidden", "href", "role", "start", "style"})

_NAME = re.compile(r"[a-zA-Z][^\s/>]*+")
_BETWEEN = re.compile(r"[\s/]*+")
# A quote that never ends is a part of the value, and then no later tag has one of its kind.
_ATTRIBUTE = re.compile(r"""([^\s>/][^\s=>/]*+)(?:\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s>]*+)))?""")
_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW}


class Start(Struct, frozen=True):
    name: str
    attributes: Mapping[str, str]


class End(Struct, frozen=True):
    name: str


Token: TypeAlias = Start | End | str


def tokens(html: str) -> Iterator[Token]:
    """Names are in lower case. Comments, declarations and processing instructions are left out."""
    at = 0
    while (opening := html.find("<", at)) >= 0:
        if opening > at:
            yield unescape(html[at:opening])
        at = yield from _marked(html, opening)
    if at < len(html):
        yield unescape(html[at:])


def _marked(html: str, at: int) -> Generator[Token, None, int]:
    """What begins with `<`. Returns the place behind it."""
    if html.startswith("<!--", at):
        return _behind(html, "-->", at + 2)
    if html.startswith(("<!", "<?"), at):
        return _behind(html, ">", at)
    is_end = html.startswith("</", at)
    name = _NAME.match(html, at + (2 if is_end else 1))
    if name is None:
        if is_end:
            return _behind(html, ">", at)
        yield "<"
        return at + 1
    attributes, after = _attributes(html, name.end())
    lower = name.group().lower()
    if is_end:
        yield End(lower)
        return after
    yield Start(lower, attributes)
    if lower not in RAW:
        return after
    end = _ENDS[lower].search(html, after)
    stop = end.start() if end is not None else len(html)
    if lower == "title":
        yield unescape(html[after:stop])
    return stop


def _behind(html: str, mark: str, at: int) -> int:
    found = html.find(mark, at)
    return found + len(mark) if found >= 0 else len(html)


def _attributes(html: str, at: int) -> tuple[Mapping[str, str], int]:
    """Those of a tag, and the place behind it. Of two with the same name the first counts."""
    found: dict[str, str] = {}
    while True:
        between = _BETWEEN.match(html, at)
        assert between is not None, "the pattern fits everywhere"
        at = between.end()
        attribute = _ATTRIBUTE.match(html, at)
        if attribute is None:
            # At the end of the tag, or of the page.
            return found, at + 1
        name, *values = attribute.groups()
        if (name := name.lower()) in KEPT:
            found.setdefault(name, unescape(next((value for value in values if value), "")))
        at = attribute.end()
