"""What pages say in code exists: files, commands and their flags, targets, routes, settings, metrics, names.

Decisions and the changelog tell of their own time, so of them only commands and files are looked at.
"""

import json
import re
import shlex
from collections.abc import Iterator
from functools import cache

import click
import pytest

from chatd.cli.main import commands
from tests.house.repository import kept_files, name_of, read
from tests.support.pages import blocks, spans

CHANGELOG = "CHANGELOG.md"
# Made from the code, or about the tests alone.
GENERATED = ("docs/traceability/",)
OF_THEIR_TIME = ("docs/decisions/", CHANGELOG)

# What looks like something of ours, and is not: an example that a page makes up, or something of others.
MADE_UP = {
    ".agents/skills/", ".claude/skills/", ".codex/skills/", ".chatd/plans/", ".chatd/plans/PLAN-ID.md",
    "src/**/test_*.py", "src/**/*.ts",
    "src/chatd/domain/transitions/messages/clear_queue.py", "ClearQueue",
    "src/chatd/web/",
    "chatd hints", "chatd_hints", "chatd_client",
    "CHATD_SERVICE_HOST", "CHATD_TEST_POSTGRES_URL", "CHATD_TEST_POSTGRES_BIN", "CHATD_TEST_CHROMIUM",
    "CHATD_BUILD_WITHOUT_PAGE", "CHATD_URL", "CHATD_TOKEN",
    "proxy_set_header", "remote_user", "ReadWritePaths",
    "test_a_message_for_a_busy_agent_goes_to_the_queue",
}  # fmt: skip

SHELLS = {"", "sh", "console"}
# What a server prints, and no command.
PRINTED = ("chatd ready at", "chatd: ")

_COMMAND = re.compile(r"(?:^|[|;&(]\s*)(?:\S*/bin/)?(?P<command>chatd [^|;&)<>]*)")
_FILE = re.compile(r"[\w.*{}<>-]+(?:/[\w.*{}<>-]+)+/?|[\w-]+\.py")
_SUFFIX = re.compile(r"\.(?:py|sql|tsx?|css|toml|md|json|sh|ya?ml)$|/$")
_TARGET = re.compile(r"^make (?P<target>[a-z]+)\b")
_ROUTE = re.compile(r"/api/v1(?:/[\w.{}…@:-]+)*")
_SETTING = re.compile(r"\bCHATD_[A-Z_]*[A-Z]\b")
_METRIC = re.compile(r"chatd_[a-z_]+")
_NAME = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b|\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")


@cache
def pages() -> dict[str, str]:
    found = {name_of(path): path.read_text(encoding="utf-8") for path in kept_files() if path.suffix == ".md"}
    return {name: text for name, text in found.items() if not name.startswith(GENERATED)}


def of_today() -> dict[str, str]:
    return {name: text for name, text in pages().items() if not name.startswith(OF_THEIR_TIME)}


@cache
def words_of_the_program() -> frozenset[str]:
    """Every word of the code, of its tests and of what is deployed with it."""
    folders = ("src/chatd/", "web/src/", "deploy/", "tools/", "bench/", "tests/")
    return frozenset(
        word
        for path in kept_files()
        if name_of(path).startswith(folders) and path.suffix not in (".png", ".md")
        for word in re.findall(r"\w+", path.read_text(encoding="utf-8", errors="replace"))
    )


def lines_of_shells(page: str) -> Iterator[str]:
    for block in blocks(page):
        if block.language in SHELLS:
            for line in block.text.replace("\\\n", " ").splitlines():
                yield line.strip().removeprefix("$ ")


def commands_in(page: str) -> Iterator[str]:
    for text in (*lines_of_shells(page), *spans(page)):
        for found in _COMMAND.finditer(text):
            if not found["command"].startswith(PRINTED) and found["command"].strip() not in MADE_UP:
                yield found["command"]


def refusal(command: str) -> str | None:
    """What the real command line says to it. Values are not looked at: a page may write ID."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = command.split()  # A text in quotes that goes on in the next line.
    group: click.Command = commands
    context = click.Context(group, info_name="chatd")
    words = [word for word in words[1:] if word != "…"]
    while isinstance(group, click.Group) and words and not words[0].startswith("-"):
        found = group.get_command(context, words[0])
        if found is None:
            return f"there is no {context.command_path} {words[0]}"
        context = click.Context(found, info_name=words.pop(0), parent=context)
        group = found
    parser = group.make_parser(context)
    try:
        parser.parse_args(list(words))
    except click.BadOptionUsage:
        return None  # There is such an option; its value is left out.
    except click.UsageError as error:
        return error.format_message()
    return None


def wrong(found: Iterator[tuple[str, str]]) -> list[str]:
    return sorted({f"{page}: {mistake}" for page, mistake in found})


def test_every_command_of_the_command_line_that_pages_show_exists_with_its_flags() -> None:
    # As in `chatd audit ls|export`.
    shown = (
        (name, command.partition("|")[0]) for name, text in pages().items() for command in commands_in(text)
    )

    assert wrong((name, f"{command}: {why}") for name, command in shown if (why := refusal(command))) == []


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("chatd sevre", "there is no chatd sevre"),
        ("chatd model lst", "there is no chatd model lst"),
        ("chatd send --new --modle x TEXT", "No such option '--modle'."),
        ("chatd send ID TEXT --model NAME", None),
        ("chatd mcp add SLUG URL", None),
    ],
)
def test_a_command_that_does_not_exist_is_noticed(command: str, why: str | None) -> None:
    said = refusal(command)

    # Behind it may follow what was meant.
    assert (said is None) == (why is None)
    assert (said or "").startswith(why or "")


def test_every_file_that_pages_name_exists() -> None:
    kept = {name_of(path) for path in kept_files()}
    folders = {parent for name in kept for parent in parents(name)}

    def exists(place: str, page: str) -> bool:
        wanted = place.rstrip("/")
        beside = f"{page.rpartition('/')[0]}/{wanted}".lstrip("/")
        return beside in kept | folders or any(f"/{there}".endswith(f"/{wanted}") for there in kept | folders)

    named = (
        (name, span)
        for name, text in pages().items()
        for span in spans(text)
        if _FILE.fullmatch(span) and _SUFFIX.search(span) and not span.startswith("spec/")
    )

    assert (
        wrong((name, place) for name, place in named if place not in MADE_UP and not exists(place, name))
        == []
    )


def parents(name: str) -> Iterator[str]:
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def test_every_target_of_make_that_pages_show_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    shown = (
        (name, found["target"])
        for name, text in pages().items()
        for line in (*lines_of_shells(text), *spans(text))
        if (found := _TARGET.match(line))
    )

    assert wrong((name, target) for name, target in shown if target not in targets) == []


def test_every_route_that_pages_name_exists() -> None:
    paths = [path.split("/") for path in json.loads(read("docs/reference/openapi.json"))["paths"]]

    def exists(route: str) -> bool:
        pieces = route.split("/")
        return any(all(map(fits, pieces, path)) for path in paths if len(path) >= len(pieces))

    def fits(piece: str, there: str) -> bool:
        return piece in (there, "…") or there.startswith("{")

    shown = (
        (name, route)
        for name, text in of_today().items()
        for span in spans(text)
        for route in _ROUTE.findall(span)
    )

    assert wrong((name, route) for name, route in shown if not exists(route)) == []


def test_every_setting_and_metric_that_pages_name_exists() -> None:
    settings = set(_SETTING.findall(read("docs/reference/settings.md")))
    metrics = set(_METRIC.findall(read("docs/reference/metrics.md")))
    named = (
        (name, word)
        for name, text in of_today().items()
        for span in spans(text)
        for word in (*_SETTING.findall(span), *_METRIC.findall(span if _METRIC.fullmatch(span) else ""))
    )

    assert wrong((name, word) for name, word in named if word not in settings | metrics | MADE_UP) == []


def test_every_name_in_code_is_a_word_of_the_program() -> None:
    known = words_of_the_program() | MADE_UP | {path.stem for path in kept_files()}
    named = (
        (name, word)
        for name, text in of_today().items()
        for span in spans(text)
        for word in _NAME.findall(span)
    )

    assert wrong((name, word) for name, word in named if word not in known) == []
