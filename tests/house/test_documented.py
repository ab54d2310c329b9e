"""What the code has, the pages name; what the pages point to, exists."""

import importlib
import pkgutil
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chatd
from chatd.domain.transitions import TRANSITIONS
from chatd.errors import ChatdError
from tests.house.repository import ROOT, kept_files, name_of, read, rows_of

COMMANDS_PAGE = "docs/develop/add-a-transition.md"
ERRORS_PAGE = "docs/howto/debug-a-chat.md"
DEPENDENCIES_PAGE = "docs/decisions/0013-dependencies.md"

_LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(?P<words>.+?)\s*$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def test_every_command_has_its_line() -> None:
    expected = [command.__name__ for command in TRANSITIONS]

    assert missing(expected, COMMANDS_PAGE) == []


def test_every_error_has_its_line() -> None:
    import_everything()

    expected = [error.__name__ for error in family_of(ChatdError) if error.__module__.startswith("chatd.")]

    assert missing(expected, ERRORS_PAGE) == []


def test_every_dependency_has_its_line() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    extras = project["project"].get("optional-dependencies", {})
    required = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(requirement for extra in extras.values() for requirement in extra),
    ]
    expected = [re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in required]

    assert missing(expected, DEPENDENCIES_PAGE) == []


def test_every_decision_is_in_their_list() -> None:
    index = read("docs/decisions/index.md")
    decisions = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"))

    assert [name for name in decisions if f"]({name})" not in index] == []


def test_no_two_decisions_have_the_same_number() -> None:
    """Gaps are allowed: numbers are given out before the pages are written, and not all arrive in order."""
    numbers = [path.name[:4] for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")]

    assert sorted(set(numbers)) == sorted(numbers)


def test_the_glossary_has_each_word_once() -> None:
    rows = re.findall(r"^\| (?!Word |Avoid |-)([^|]+?) \|", read("docs/glossary.md"), re.MULTILINE)

    assert [word for word, times in Counter(rows).items() if times > 1] == []


def test_every_relative_link_leads_somewhere() -> None:
    broken = [
        f"{name_of(page)} → {target}"
        for page in kept_files()
        if page.suffix == ".md"
        for target in relative_links(page)
        if not leads_somewhere(page, target)
    ]

    assert broken == []


def import_everything() -> None:
    """An error may be defined beside the only code that raises it."""
    for module in pkgutil.walk_packages(chatd.__path__, "chatd."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def family_of(error: type[ChatdError]) -> Iterator[type[ChatdError]]:
    yield error
    for child in error.__subclasses__():
        yield from family_of(child)


def missing(expected: list[str], page: str) -> list[str]:
    rows = rows_of(page)
    return [f"{page} has no row for `{word}`" for word in expected if word not in rows]


def relative_links(page: Path) -> Iterator[str]:
    for match in _LINK.finditer(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z]+:", match["target"]):
            yield match["target"]


def leads_somewhere(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    there = (page.parent / name).resolve() if name else page
    return there.exists() and (not anchor or anchor in anchors_of(there))


def anchors_of(page: Path) -> set[str]:
    """What a heading is called in a link: lower case, without punctuation, with dashes for spaces."""
    headings = _HEADING.finditer(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading["words"].lower()).replace(" ", "-") for heading in headings}
