"""An HTML page as text that can be read: what it is there for, without what is around it (pure).

Scripts, styles, controls and what is hidden are left out: what people cannot see is no part of the page, and
a favourite place for words that are meant for models. Menus and the like are left out where there is
something else.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from urllib.parse import urljoin

from msgspec import Struct

from chatd.tools.web.readable.elements import (
    BLOCKS,
    CELLS,
    CODE,
    HEADINGS,
    IMPLIED_ENDS,
    LEFT_OUT,
    MAIN,
    NOISE,
    NOISE_ROLES,
    VOID,
)
from chatd.tools.web.readable.tokens import End, Start, tokens
from chatd.tools.web.readable.writer import Block, Full, Rank, Writer

# Tags and texts; a page of so many takes about two seconds. Long manuals have some ten thousand.
TOKENS_MAX = 300_000
# Elements within elements. Further ones are read as if they were beside one another.
DEPTH_MAX = 512
TITLE_CHARACTERS_MAX = 300
# Fewer characters are not what a page is there for, unless they are half of it.
ENOUGH_CHARACTERS = 200

_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,6}")
_NO_URL = re.compile(r"[\s()<>\"]")
_PERMALINKS = frozenset({"", "¶", "#", "§", "🔗"})


class Readable(Struct, frozen=True, kw_only=True):
    title: str
    text: str
    # There was more than is kept.
    is_cut: bool = False


class _Open(Struct, frozen=True):
    name: str
    is_hidden: bool
    is_noise: bool
    is_main: bool


def read_html(html: str, url: str) -> Readable:
    """`url` is where the page is from, for its links."""
    reader, pieces = _Reader(url), tokens(html)
    with suppress(Full):
        for token in islice(pieces, TOKENS_MAX):
            reader.take(token)
    is_cut = reader.writer.is_full or next(pieces, None) is not None
    reader.writer.is_full = True
    reader.end()
    return Readable(title=reader.title, text=_joined(_chosen(reader.writer.blocks)), is_cut=is_cut)


class _Reader:
    def __init__(self, url: str) -> None:
        self.title = ""
        self.writer = Writer()
        self._base = url
        self._open: list[_Open] = []
        self._counts: Counter[str] = Counter()
        self._hidden = self._noise = self._main = 0
        self._code: list[str] = []

    def take(self, token: Start | End | str) -> None:
        match token:
            case str():
                self._say(token)
            case Start():
                self._start(token)
            case End(name):
                if self._counts[name]:
                    self._close(name)
                elif name == "p":
                    self.writer.flush()

    def end(self) -> None:
        while self._open:
            self._pop()
        self.writer.end_row()
        self.writer.flush()

    def _say(self, text: str) -> None:
        if self._counts["title"]:
            if not self.title and not self._counts["svg"]:
                self.title = " ".join(text.split())[:TITLE_CHARACTERS_MAX]
        elif self._hidden:
            return
        elif self._counts["pre"]:
            self._code.append(text)
        elif not (self._open and self._open[-1].name == "a" and text.strip() in _PERMALINKS):
            self.writer.say(text)

    def _start(self, tag: Start) -> None:
        ended = IMPLIED_ENDS.get(tag.name, ())
        while self._open and self._open[-1].name in ended:
            self._pop()
        if tag.name in VOID:
            self._void(tag)
            return
        if len(self._open) >= DEPTH_MAX:
            self.writer.flush()
            return
        opened = self._element(tag)
        if not self._hidden and not opened.is_hidden:
            self._begin(tag)
        self._open.append(opened)
        self._count(opened, 1)

    def _void(self, tag: Start) -> None:
        match tag.name:
            case "base" if href := tag.attributes.get("href"):
                self._base = _absolute(self._base, href) or self._base
            case "br" if self._counts["pre"]:
                self._code.append("\n")
            case _ if self._hidden:
                return
            case "br":
                self.writer.mark("\n")
            case "hr":
                self.writer.flush()
            case "img" if (alt := tag.attributes.get("alt", "").strip()) and not self._counts["pre"]:
                self.writer.say(f"[image: {alt}]")

    def _begin(self, tag: Start) -> None:
        """What the beginning of an element means for what is written."""
        name, writer = tag.name, self.writer
        if name in HEADINGS:
            writer.spill()
            writer.heading = HEADINGS[name]
        elif name in BLOCKS:
            writer.flush()
            writer.quotes += name == "blockquote"
        elif name in CODE and not self._counts["pre"]:
            writer.mark("`")
        elif name in CELLS:
            writer.begin_cell()
        else:
            self._begin_other(tag)

    def _begin_other(self, tag: Start) -> None:
        writer = self.writer
        match tag.name:
            case "a":
                self._begin_link(tag.attributes.get("href", ""))
            case "ul":
                writer.begin_list(None)
            case "ol":
                writer.begin_list(_number(tag.attributes.get("start", "")))
            case "li":
                writer.begin_item()
            case "pre":
                writer.spill()
            case "table":
                writer.begin_table()
            case "tr":
                writer.end_row()
            case _:
                pass

    def _begin_link(self, href: str) -> None:
        if href and not href.startswith("#") and (url := _absolute(self._base, href)) is not None:
            self.writer.begin_link(url)

    def _element(self, tag: Start) -> _Open:
        role = tag.attributes.get("role", "").strip().lower()
        is_banner = tag.name == "header" and not self._main
        return _Open(
            tag.name,
            tag.name in LEFT_OUT or _is_hidden(tag.attributes),
            tag.name in NOISE or role in NOISE_ROLES or is_banner,
            tag.name in MAIN or role == "main",
        )

    def _close(self, name: str) -> None:
        while self._pop() != name:
            pass

    def _pop(self) -> str:
        closed = self._open.pop()
        if not self._hidden:
            self._finish(closed.name)
        self._count(closed, -1)
        return closed.name

    def _count(self, element: _Open, by: int) -> None:
        self._counts[element.name] += by
        self._hidden += by * element.is_hidden
        self._noise += by * element.is_noise
        self._main += by * element.is_main
        self.writer.rank = Rank.NOISE if self._noise else Rank.MAIN if self._main else Rank.BODY

    def _finish(self, name: str) -> None:
        """What the end of an element means for what is written."""
        writer = self.writer
        if name in HEADINGS:
            writer.flush()
            writer.heading = 0
        elif name in BLOCKS:
            writer.flush()
            writer.quotes -= name == "blockquote"
        elif name in CODE and not self._counts["pre"]:
            writer.mark("`")
        elif name in CELLS:
            writer.end_cell()
        else:
            self._finish_other(name)

    def _finish_other(self, name: str) -> None:
        writer = self.writer
        match name:
            case "a":
                writer.end_link()
            case "ul" | "ol":
                writer.end_list()
            case "li":
                writer.flush()
            case "pre" if self._counts["pre"] == 1:
                code, self._code = "".join(self._code), []
                writer.write_code(code)
            case "tr" | "table":
                writer.end_row()
            case _:
                pass


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden", "").strip().lower() == "true"
        or _HIDING_STYLE.search(attributes.get("style", "")) is not None
    )


def _absolute(base: str, href: str) -> str | None:
    """None of what is no page: scripts, data, addresses of mail."""
    try:
        url = urljoin(base, href.strip())
    except ValueError:
        return None
    return url if url.startswith(("https://", "http://")) and not _NO_URL.search(url) else None


def _number(text: str) -> int:
    return int(text) if _NUMBER.fullmatch(text) else 1


def _chosen(blocks: Iterable[Block]) -> list[Block]:
    """What the page is there for, or else its body, or else everything: the first that is not too little."""
    every = list(blocks)
    enough = min(ENOUGH_CHARACTERS, _length(every) // 2)
    for rank in (Rank.MAIN, Rank.BODY):
        kept = [block for block in every if block.rank >= rank]
        if kept and _length(kept) >= enough:
            return kept
    return every


def _length(blocks: Iterable[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def _joined(blocks: Iterable[Block]) -> str:
    pieces: list[str] = []
    after_row = False
    for block in blocks:
        if pieces:
            pieces.append("\n" if block.is_row and after_row else "\n\n")
        pieces.append(block.text)
        after_row = block.is_row
    return "".join(pieces)
