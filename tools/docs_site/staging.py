"""Copies the pages to where Sphinx reads them, with links that lead to the same places from there.

On a code forge the pages are read where they are in the repository, and their links are relative to that.
The site has docs/ at its root and four pages of the repository beside it. What else a page links to, such as
an example in deploy/, becomes a file of the site.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from os.path import normpath, relpath
from pathlib import Path, PurePosixPath

from tools.docs_site.navigation import START, Section, Wrong

# Pages outside of docs/, and what they are called on the site.
FROM_ROOT = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "bench/README.md": "benches.md",
}
# What tells Sphinx that a page is in no sidebar on purpose.
ASIDE = "---\norphan: true\n---\n\n"
# Shown by browsers as they are. To others `.txt` is added, because a browser would offer to save them.
SHOWN_AS_THEY_ARE = frozenset({".html", ".json", ".png", ".svg", ".txt"})

_LINK = re.compile(
    r"(?P<image>!?)\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^)\s]+)\)"
    r"|\b(?P<attribute>src|srcset|href)=\"(?P<named>[^\"]+)\""
)
_CODE = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#")


class Staging:
    """`pages` is what Sphinx reads, `files` what is copied to the site as it is."""

    def __init__(self, root: Path, directory: Path, sections: Sequence[Section]) -> None:
        self._root = root
        self.pages = directory / "pages"
        self.files = directory / "files"
        self._sections = {START: sections, **{each.page: (each,) for each in _all(sections)}}
        listed = (START, *(page for section in sections for page in section.everything()))
        self._places = {page: _place(page) for page in listed}
        self._aside = {page for section in _all(sections) for page in section.aside}
        self._linked: set[str] = set()
        self._wrong: list[str] = []

    def write(self) -> None:
        """Raises Wrong when a link leads to nothing in the repository."""
        shutil.rmtree(self.files, ignore_errors=True)
        self.files.mkdir(parents=True)
        for page, place in self._places.items():
            text = self._relinked(page, (self._root / page).read_text(encoding="utf-8"))
            _write(self.pages / place, (ASIDE if page in self._aside else "") + text + self._contents(page))
        for name in sorted(self._linked):
            there = self.files / _file_place(name)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._root / name, there)
        if self._wrong:
            raise Wrong("\n".join(self._wrong))

    def _contents(self, page: str) -> str:
        """What comes below a page in the sidebar. Of the start page, all sections."""
        sections = self._sections.get(page)
        if sections is None:
            return ""
        if page == START:
            entries = [f"{each.name} </{_document(self._places[each.page])}>" for each in sections]
        else:
            (section,) = sections
            below = [each.page for each in section.sections]
            entries = [f"/{_document(self._places[each])}" for each in (*section.pages, *below)]
        return "\n".join(["", "", "```{toctree}", ":hidden:", "", *entries, "```", ""]) if entries else ""

    def _relinked(self, page: str, text: str) -> str:
        """Links in code are only shown, so they stay; code in the words of a link is no obstacle."""
        prose = _CODE.sub(lambda code: re.sub(r"[^\n]", "x", code[0]), text)
        pieces, at = [], 0
        for found in _LINK.finditer(prose):
            place = self._resolved(page, found["target"] or found["named"])
            if place is not None:
                pieces += [text[at : found.start()], _link(found, text, place)]
                at = found.end()
        return "".join([*pieces, text[at:]])

    def _resolved(self, page: str, target: str) -> str | None:
        """Where a link of a page leads on the site; None when it stays as it is."""
        if _ELSEWHERE.match(target):
            return None
        name, mark, anchor = target.partition("#")
        real = normpath(PurePosixPath(page).parent / name)
        if real in self._places:
            there = self._places[real]
        elif (self._root / real).is_file() and not real.startswith("..") and not real.endswith(".md"):
            self._linked.add(real)
            there = _file_place(real)
        else:
            self._wrong.append(f"{page}: {target} is no page of the site, and no file.")
            return None
        return relpath(there, PurePosixPath(self._places[page]).parent) + mark + anchor


def _all(sections: Sequence[Section]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from _all(section.sections)


def _place(page: str) -> str:
    return FROM_ROOT.get(page) or PurePosixPath(page).relative_to("docs").as_posix()


def _file_place(name: str) -> str:
    """Files of docs/ stay beside the pages, so that what they link to is where they look for it."""
    path = PurePosixPath(name)
    place = path.relative_to("docs") if path.is_relative_to("docs") else PurePosixPath("files") / path
    return str(place) if place.suffix in SHOWN_AS_THEY_ARE else f"{place}.txt"


def _link(found: re.Match[str], text: str, place: str) -> str:
    """The words are those of the text, since in what was searched there is no code."""
    if attribute := found["attribute"]:
        return f'{attribute}="{place}"'
    words = text[found.start("words") : found.end("words")]
    if PurePosixPath(place.partition("#")[0]).suffix == ".md":
        return f"[{words}]({place})"
    # As HTML, because Sphinx would make a download of it.
    return f'<img alt="{words}" src="{place}">' if found["image"] else f'<a href="{place}">{words}</a>'


def _document(place: str) -> str:
    return place.removesuffix(".md")


def _write(path: Path, text: str) -> None:
    """Only what is different, so that Sphinx reads no page again that did not change."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
