"""ARCHITECTURE.md is a map: its places exist, and every folder is on it."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.repository import ROOT, read

PAGE = "ARCHITECTURE.md"
SOURCE = ROOT / "src" / "chatd"

_SECTION = re.compile(r"^#+ (?:`(?P<folder>\w+)/`)?")
_PLACE = re.compile(r"`(?P<place>[\w./]+(?:\.py|/))`")


def test_every_file_and_folder_that_it_names_exists() -> None:
    missing = [f"{folder}: {place}" for folder, place in places() if not exists(folder, place)]

    assert missing == []


def test_every_folder_of_the_source_has_its_section() -> None:
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}

    assert folders - {folder for folder, _ in places()} == set()


def test_every_file_of_the_source_says_in_its_first_line_what_it_is() -> None:
    """So that `grep -m1 .` over a folder prints its table of contents, and the map need not list files."""
    silent = [str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if not says_what_it_is(path)]

    assert silent == []


def test_a_name_that_does_not_exist_is_found() -> None:
    assert exists("storage", "transact.py")
    assert exists("storage", "sqlite/writer.py")
    assert not exists("storage", "reply.py")
    assert not exists("", "storage/transaction.py")


def says_what_it_is(path: Path) -> bool:
    return re.match(r'"""\S.*[.:?]', path.read_text(encoding="utf-8")) is not None


def places() -> Iterator[tuple[str, str]]:
    """What is named, with the folder whose section names it."""
    folder = ""
    for line in read(PAGE).splitlines():
        if section := _SECTION.match(line):
            folder = section["folder"] or ""
        yield from ((folder, found["place"]) for found in _PLACE.finditer(line))


def exists(folder: str, place: str) -> bool:
    """From the root, from the source, or anywhere within the section's folder."""
    if (ROOT / place).exists() or (SOURCE / place).exists():
        return True
    return bool(folder) and any((SOURCE / folder).rglob(place.rstrip("/")))
