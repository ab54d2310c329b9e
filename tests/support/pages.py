"""Pages in Markdown as tests read them: their blocks of code, their code within sentences, and the rest."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*) -->\n)?^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_SPAN = re.compile(r"`([^`\n]+)`")


class Block(NamedTuple):
    """`info` is what stands behind the fence, and `note` a comment in HTML on the line above it."""

    line: int
    info: tuple[str, ...]
    note: str
    text: str

    @property
    def language(self) -> str:
        return self.info[0] if self.info else ""


def blocks(page: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(page):
        line = page.count("\n", 0, found.start("fence")) + 1
        yield Block(line, tuple(found["info"].split()), found["note"] or "", found["text"])


def spans(page: str) -> Iterator[str]:
    """Code within sentences and tables."""
    yield from _SPAN.findall(_BLOCK.sub("", page))
