"""What an address gave, as a model can read it (pure)."""

import re

from msgspec import Struct

from chatd.kit.hidden import without_hidden
from chatd.kit.media_type import KNOWN, OCTETS, PLAIN, is_text, type_by_beginning
from chatd.tools.web.charset import decoded
from chatd.tools.web.fetch import Fetched
from chatd.tools.web.readable.reader import read_html

HTML = "text/html"
_HTML_TYPES = frozenset({HTML, "application/xhtml+xml"})
# What is text although its type does not begin so.
_TEXT_TYPES = re.compile(
    r"application/(.+\+)?(json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-javascript|x-sh|sql|graphql|rtf)"
    r"|application/(x-)?ndjson|image/svg\+xml|message/.+"
)
_HTML_BEGINNINGS = (b"<!doctype html", b"<html")


class Page(Struct, frozen=True, kw_only=True):
    """`text` is None of what is no text. `sites` are the hosts that were asked."""

    url: str
    sites: tuple[str, ...]
    media_type: str
    title: str = ""
    text: str | None = None
    # There is more at the address.
    is_cut: bool = False


def page_of(fetched: Fetched) -> Page:
    """Its type is what it is, and not only what the server says."""
    data, said = fetched.data, fetched.media_type
    known = type_by_beginning(data)
    if known is not None:
        return _page(fetched, known)
    if said in _HTML_TYPES or (said in ("", PLAIN) and _begins_as_html(data)):
        read = read_html(decoded(data, fetched.charset, is_html=True), fetched.address.url)
        is_cut = fetched.is_cut or read.is_cut
        return _page(fetched, HTML, title=read.title, text=read.text, is_cut=is_cut)
    if _is_textual(said, data):
        return _page(fetched, said or PLAIN, text=decoded(data, fetched.charset), is_cut=fetched.is_cut)
    # A picture that does not begin as one is none.
    return _page(fetched, said if said and said not in KNOWN else OCTETS)


def _begins_as_html(data: bytes) -> bool:
    return data[:1024].lstrip().lower().startswith(_HTML_BEGINNINGS)


def _is_textual(said: str, data: bytes) -> bool:
    if said.startswith("text/") or _TEXT_TYPES.fullmatch(said):
        # A null byte is in no text but UTF-16, which has a mark at its beginning.
        return b"\0" not in data[:1024] or data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return said in ("", OCTETS) and is_text(data)


def _page(
    fetched: Fetched, media_type: str, *, title: str = "", text: str | None = None, is_cut: bool = False
) -> Page:
    return Page(
        url=fetched.address.url,
        sites=fetched.sites,
        media_type=media_type,
        title=without_hidden(title),
        text=without_hidden(text) if text is not None else None,
        is_cut=is_cut,
    )
