"""What is kept names no machine and no package index: it works wherever it is checked out."""

import re

from tests.house.repository import kept_files, name_of

# What gives a place away, and what to write instead.
ADDRESSES = {
    r"(?<![\w.])/(?:root|work|mnt|Users)/\w": "a path from the root of the repository",
    r"(?<![\w.])/home/(?!linuxbrew/)\w": "a path from the root of the repository",
    r"\bpypi\.org|\bpythonhosted\.org|\bregistry\.npmjs|\bregistry\.yarnpkg": "the name of the package alone",
    r"--(?:extra-)?index-url\b|\b(?:PIP|UV)_(?:EXTRA_)?INDEX_URL\b": "nothing; pip's configuration says it",
    r"\bfile://\S": "a relative path",
}

# This file has to spell them.
EXCEPTIONS = {"tests/house/test_no_addresses.py"}

_places = [(re.compile(pattern), instead) for pattern, instead in ADDRESSES.items()]


def places_in(text: str) -> list[str]:
    """Every line that gives a place away, with what to write instead."""
    return [
        f"{number}: {found[0]!r}; write {instead}"
        for number, line in enumerate(text.splitlines(), 1)
        for pattern, instead in _places
        if (found := pattern.search(line)) is not None
    ]


def test_a_line_that_gives_a_place_away_is_noticed() -> None:
    telling = [
        *(f"cd /{top}/chatd" for top in ("root", "work", "mnt", "Users")),
        "https://pypi.org/simple",
        "file:///srv",
        "/home/me/chatd",
    ]

    assert [line for line in telling if not places_in(line)] == []


def test_paths_of_the_product_and_of_known_installers_are_left_alone() -> None:
    harmless = ["/api/v1/chats", "tests/mnt/x", "/home/linuxbrew/.linuxbrew", "/usr/lib/postgresql", "PyPI"]

    assert [line for line in harmless if places_in(line)] == []


def test_no_kept_file_names_a_package_index_or_a_path_of_one_machine() -> None:
    found = [
        f"{name_of(path)}:{place}"
        for path in kept_files()
        if name_of(path) not in EXCEPTIONS
        for place in places_in(path.read_text(encoding="utf-8", errors="replace"))
    ]

    assert not found, "These lines are true on one machine only:\n" + "\n".join(found)
