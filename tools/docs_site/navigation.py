"""The table of contents of the site, from docs/navigation.toml: every page of docs/ once."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path, PurePosixPath
from typing import Any

FILE = "docs/navigation.toml"
START = "docs/index.md"


class Wrong(Exception):
    """The pages or their table of contents are not in order. The message has a line for each mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Pages are named by their paths from the root of the repository. `page` is where the section begins.

    Those in `aside` are in no sidebar: `page` lists them, and there are many.
    """

    name: str
    page: str
    pages: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    sections: tuple["Section", ...] = ()

    def everything(self) -> Iterator[str]:
        yield self.page
        yield from (*self.pages, *self.aside)
        for section in self.sections:
            yield from section.everything()


def read(root: Path) -> tuple[Section, ...]:
    """Raises Wrong unless it lists each page of docs/ exactly once."""
    declared = tomllib.loads((root / FILE).read_text(encoding="utf-8"))["section"]
    sections = tuple(_section(root, each) for each in declared)
    listed = [START, *(page for section in sections for page in section.everything())]
    there = {path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.md")}
    mistakes = [
        *(f"{page} is listed, and is not there." for page in listed if not (root / page).is_file()),
        *(f"{page} is not listed." for page in sorted(there - set(listed))),
        *(f"{page} is listed {times} times." for page, times in Counter(listed).items() if times > 1),
    ]
    if mistakes:
        raise Wrong("\n".join(f"{FILE}: {mistake}" for mistake in mistakes))
    return sections


def _section(root: Path, declared: Mapping[str, Any]) -> Section:
    return Section(
        name=declared["name"],
        page=_from_root(declared["page"]),
        pages=tuple(_from_root(name) for name in declared.get("pages", ())),
        aside=tuple(found for pattern in declared.get("aside", ()) for found in _found(root, pattern)),
        sections=tuple(_section(root, each) for each in declared.get("section", ())),
    )


def _from_root(name: str) -> str:
    """Names in the file are relative to it."""
    return normpath(PurePosixPath(FILE).parent / name)


def _found(root: Path, pattern: str) -> Iterator[str]:
    """All that fit, in the order of their names, but for the page that lists them."""
    for path in sorted((root / FILE).parent.glob(pattern)):
        if path.name != "index.md":
            yield path.relative_to(root).as_posix()
