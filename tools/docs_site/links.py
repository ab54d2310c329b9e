"""Reads the pages that were built, and says which of their links lead nowhere.

Sphinx checks the links of Markdown. This looks at what a browser is given in the end: links in HTML,
pictures, what the theme adds, and whether anything at all is asked of another host.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from os.path import normpath
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

START = "index.html"
SEARCH = "search.html"

# What a browser fetches by itself, and not when somebody clicks.
_FETCHED = {("img", "src"), ("source", "srcset"), ("script", "src"), ("link", "href"), ("iframe", "src")}
_LINKS = {("a", "href"), *_FETCHED}
# Hosts of examples, and of this machine: nothing but a reader's own server answers there.
_WITHOUT_TLS = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?|(?:.+\.)?example(?:\.\w+)?")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?", re.IGNORECASE)
_CSS_URL = re.compile(r"""(?:url\(\s*|@import\s+)["']?(?P<target>(?:https?:)?//[^"')\s]+)""")


@dataclass(slots=True)
class Page(HTMLParser):
    """The links of a page with the names of their elements, and the anchors that it has."""

    links: list[tuple[str, str]] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if (tag, name) in _LINKS:
                self.links.append((tag, value))
            if (tag, name) in _FETCHED:
                self.fetched.append(value)


def wrong_links(site: Path) -> list[str]:
    """A line for each mistake; none when all is well."""
    pages = {path.relative_to(site).as_posix(): _parsed(path) for path in sorted(site.rglob("*.html"))}
    return (
        [
            f"{name}: {mistake}"
            for name, page in pages.items()
            for mistake in (*_of_page(site, pages, name, page), *_from_elsewhere(page))
        ]
        + [f"{name}: no page links to it." for name in _unreachable(pages)]
        + [
            f"{path.relative_to(site)}: asks another host for {found['target']}."
            for path in sorted(site.rglob("*.css"))
            for found in _CSS_URL.finditer(path.read_text(encoding="utf-8"))
        ]
    )


def _unreachable(pages: Mapping[str, Page]) -> list[str]:
    """Pages that nobody finds who begins at the start page. The one for searching is asked for by a form."""
    found, todo = {START, SEARCH}, [START]
    while todo:
        name = todo.pop()
        links = {_place(name, target) for tag, target in pages[name].links if tag == "a" and _is_ours(target)}
        todo += (links & pages.keys()) - found
        found |= links
    return sorted(pages.keys() - found)


def _is_ours(target: str) -> bool:
    parts = urlsplit(target)
    return not parts.scheme and not parts.netloc


def _place(name: str, target: str) -> str:
    """The file of the site to which a link of the page `name` leads."""
    path = unquote(urlsplit(target).path)
    return normpath(PurePosixPath(name).parent / path) if path else name


def _parsed(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _of_page(site: Path, pages: Mapping[str, Page], name: str, page: Page) -> Iterator[str]:
    for _, target in page.links:
        if not _is_ours(target):
            if mistake := _misshapen(target):
                yield mistake
        elif mistake := _leads_nowhere(site, pages, name, target):
            yield mistake


def _leads_nowhere(site: Path, pages: Mapping[str, Page], name: str, target: str) -> str | None:
    there, fragment = _place(name, target), unquote(urlsplit(target).fragment)
    if there.startswith("..") or not (site / there).is_file():
        return f"{target} leads nowhere."
    if fragment and there in pages and fragment not in pages[there].anchors:
        return f"{target} names an anchor that {there} does not have."
    return None


def _from_elsewhere(page: Page) -> Iterator[str]:
    for target in page.fetched:
        parts = urlsplit(target)
        if parts.netloc:
            yield f"asks another host for {target}."


def _misshapen(target: str) -> str | None:
    """No network here: whether something answers is not tried."""
    parts = urlsplit(target)
    if parts.scheme in ("data", "mailto"):
        return None
    if parts.scheme not in ("http", "https"):
        return f"{target} is neither a page nor an address of the web."
    if _WITHOUT_TLS.fullmatch(parts.netloc):
        return None
    if parts.scheme == "http":
        return f"{target} is without TLS."
    return None if _HOST.fullmatch(parts.netloc) else f"{target} names no host."
