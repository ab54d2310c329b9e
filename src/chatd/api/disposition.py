"""What a file is called on its way: out to a browser, and in from a caller."""

from email.message import Message
from typing import Literal
from urllib.parse import quote

NAME_LENGTH_MAX = 255


def named(name: str, kind: Literal["inline", "attachment"]) -> dict[str, str]:
    """The header, for names in any script."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "_" for c in name)
    exact = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Disposition": f'{kind}; filename="{plain}"{exact}'}


def as_attachment(name: str) -> dict[str, str]:
    return named(name, "attachment")


def name_in(header: str) -> str | None:
    """The name of a file, without the folders it came from; None when the header has none."""
    message = Message()
    message["Content-Disposition"] = header
    try:
        name = message.get_filename()
    except (LookupError, ValueError):
        return None  # An encoding that nobody knows.
    if not isinstance(name, str):
        return None
    return name.replace("\\", "/").rpartition("/")[2].strip() or None
