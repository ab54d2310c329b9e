"""What commands print, other than the chat itself, which `talk/drawing/` draws.

Everything goes through here, because most of it comes from a server, a model or a file, and must not
command the terminal. A house test finds commands that print past it.
"""

import sys
from collections.abc import Sequence

import click

from chatd.kit.codec import encode_text
from chatd.kit.text import visible, visible_json


def say(words: str) -> None:
    click.echo(visible(words))


def say_on(words: str) -> None:
    """Some more of an answer, at once and without a line break."""
    click.echo(visible(words), nl=False)


def say_aside(words: str) -> None:
    """On the standard error: for people, and not part of the answer."""
    click.echo(visible(words), err=True)


def agreed(question: str) -> bool:
    """Ask a person. Without an answer it is a no."""
    try:
        return click.confirm(visible(question), err=True)
    except click.Abort:
        click.echo(err=True)
        return False


def say_json(value: object) -> None:
    """One line. What a terminal would obey is escaped, so nothing of the value is lost."""
    click.echo(visible_json(encode_text(value)))


def say_bytes(data: bytes) -> None:
    """A whole file, which has been made harmless already."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines with columns below one another."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]
