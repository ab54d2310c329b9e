"""Attempts to leave the workspace with the file tools, or to have them use up memory, disk, files or time.

Beside the workspace there is a directory with a word that no tool may ever tell, and that no tool may change.
"""

import gzip
import os
import socket
import tracemalloc
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.tools.files.find_files import TIME_OVER
from chatd.workspaces.files import (
    EDIT_BYTES_MAX,
    FIND_PATHS_MAX,
    SEARCH_CONTEXT_LINES_MAX,
    SEARCH_MATCHES_MAX,
)
from chatd.workspaces.local.files.confined import Root
from chatd.workspaces.local.files.reading import CHUNK_BYTES, read_some_lines
from chatd.workspaces.local.files.threads import Stop
from chatd.workspaces.local.programs import landlock
from chatd.workspaces.local.search import ripgrep
from tests.tools.files.desk import FileDesk, a_desk
from tests.workspaces.trees import names_in, needs_ripgrep, open_files, swapping

WORD = "xyzzy-outside"
CHANGED = "changed by a tool"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[FileDesk]:
    """A workspace full of ways out."""
    with a_desk(tmp_path) as made:
        root, outside = made.root, made.outside
        (outside / "secret").write_text(WORD)
        (outside / "data").mkdir()
        (outside / "data" / "secret.key").write_text(WORD)
        (tmp_path / "root-too").mkdir()
        (tmp_path / "root-too" / "secret").write_text(WORD)
        (root / "folder").mkdir()
        (root / "folder" / "file").write_text("ours\n")
        links: dict[str, str | Path] = {
            "to-file": outside / "secret",
            "to-directory": outside,
            "to-link": "to-file",
            "with-dots": "folder/../../outside/secret",
            "to-system": "/",
            "to-process": "/proc/self",
            "to-data": outside / "data",
            "to-nothing": outside / "new",
            "inward": "folder",
            "round": "round",
        }
        for name, target in links.items():
            (root / name).symlink_to(target)
        yield made


def state_of(desk: FileDesk) -> dict[str, str]:
    """All that is beside the workspace."""
    beside = (desk.outside, desk.root.parent / "root-too")
    return {str(path): path.read_text() for each in beside for path in each.rglob("*") if path.is_file()}


def calls_for(path: str) -> Mapping[str, dict[str, Json]]:
    """A call of each tool that touches the path."""
    edit = {"old_text": WORD, "new_text": CHANGED}
    return {
        "read_file": {"path": path},
        "write_file": {"path": path, "content": CHANGED},
        "edit_files": {"files": [{"path": path, "edits": [edit]}]},
        "find_files": {"path": path},
        "search_files": {"pattern": ".", "path": path},
    }


async def expect_all_refused(desk: FileDesk, path: str) -> None:
    """Each tool says no, tells nothing of what is there, and changes nothing."""
    before = state_of(desk)
    for tool, args in calls_for(path).items():
        words = await desk.error(tool, **args)
        assert WORD not in words, tool
    assert state_of(desk) == before


LEADING_OUT = {
    "dots": "../outside/secret",
    "dots behind a directory": "folder/../../outside/secret",
    "dots behind a link": "inward/../../outside/secret",
    "dots that end where they began": "../root/../outside/secret",
    "more dots than directories": "../" * 60 + "etc/passwd",
    "an absolute path": "{outside}/secret",
    "an absolute path with dots": "{root}/../outside/secret",
    "an absolute path with two slashes": "/{outside}/secret",
    "a neighbour whose name begins the same": "{root}-too/secret",
    "a link to a file": "to-file",
    "a link to a directory": "to-directory/secret",
    "a link to a link": "to-link",
    "a link with dots": "with-dots",
    "a link to what does not exist yet": "to-nothing",
    "a link to the root of the system": "to-system{outside}/secret",
    "a link to the process": "to-process/environ",
    "a link to the data directory": "to-data/secret.key",
    "the data directory": "{outside}/data/secret.key",
    "the environment of the server": "/proc/self/environ",
    "the root of the system by way of the process": "/proc/self/root{outside}/secret",
    "the directory of the process": "/proc/self/cwd/secret",
    "an open file of the process": "/proc/self/fd/0",
    "the memory of the process": "/proc/self/mem",
    "a device that never ends": "/dev/zero",
}


@pytest.mark.parametrize("attempt", LEADING_OUT, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_no_tool_leaves_the_workspace_by_way_of(desk: FileDesk, attempt: str) -> None:
    await expect_all_refused(desk, LEADING_OUT[attempt].format(outside=desk.outside, root=desk.root))


# What means something to a shell, a browser or another system, and is nothing but a name here.
ONLY_NAMES = {
    "a home directory": "~/.ssh/id_rsa",
    "a variable": "$HOME/secret",
    "an address": "file:" + "//localhost/etc/passwd",
    "dots in percents": "%2e%2e/outside/secret",
    "dots with backslashes": "..\\outside\\secret",
    "wide dots": "\uff0e\uff0e/outside/secret",
    "three dots": ".../outside/secret",
    "a drive": "C:\\secret",
    "a command": "`touch pwned`; $(touch pwned)",
    "an option": "--pre=touch",
    "standard input": "-",
    "a new line": "secret\n../outside/secret",
    "an escape sequence": "\x1b]0;secret\x07",
}


@pytest.mark.parametrize("attempt", ONLY_NAMES, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_nothing_but_a_name_inside_of_the_workspace_is(desk: FileDesk, attempt: str) -> None:
    path, before = ONLY_NAMES[attempt], state_of(desk)

    assert "There is no file" in await desk.error("read_file", path=path)
    await desk.told("write_file", path=path, content=CHANGED)

    assert (desk.root / path).read_text() == CHANGED
    assert (desk.root / path).resolve().is_relative_to(desk.root)
    assert (await desk.told("read_file", path=path))["content"] == f"1\t{CHANGED}"
    assert state_of(desk) == before


UNUSABLE = {
    "an empty path": "",
    "a path with a zero byte": "folder/file\0.png",
    "a path of 5000 characters": "x/" * 2500,
    "a path of too many parts": "x/" * 600 + "y",
    "a name of 300 characters": "x" * 300,
    "half a surrogate pair": "\ud800",
    "links in a circle": "round/file",
    "a file as a directory": "folder/file/x",
}


@pytest.mark.parametrize("attempt", UNUSABLE, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_every_tool_refuses(desk: FileDesk, attempt: str) -> None:
    await expect_all_refused(desk, UNUSABLE[attempt])


async def make_special(kind: str, path: Path) -> None:
    match kind:
        case "a pipe":
            os.mkfifo(path)
        case "a socket":
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(str(path))
        case "a device":
            try:
                os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
            except OSError:
                pytest.skip("no device can be made here")
        case _:
            raise AssertionError(kind)


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a device"], ids=lambda kind: kind.replace(" ", "-"))
async def test_what_is_no_file_is_neither_waited_for_nor_written(desk: FileDesk, kind: str) -> None:
    path = desk.root / "it"
    await make_special(kind, path)
    mode = path.stat().st_mode

    await expect_all_refused(desk, "it")
    assert path.stat().st_mode == mode


@needs_ripgrep
async def test_what_is_no_file_does_not_hold_up_a_search(desk: FileDesk) -> None:
    await make_special("a pipe", desk.root / "folder" / "pipe")

    assert (await desk.told("search_files", pattern="ours"))["matches"] == 1


@needs_ripgrep
async def test_ignore_rules_that_are_a_pipe_end_with_the_time_of_the_search(
    desk: FileDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(desk.root / "folder" / ".gitignore")
    monkeypatch.setattr(ripgrep, "SECONDS_MAX", 0.5)

    assert (await desk.told("find_files"))["note"] == TIME_OVER


async def test_a_directory_is_not_written_over(desk: FileDesk) -> None:
    for path in ("folder", "folder/", "folder/.", ".", "inward", "new/"):
        assert "director" in await desk.error("write_file", path=path, content="x")
    assert names_in(desk.root / "folder") == ["file"]


async def test_a_directory_that_is_swapped_for_a_link_during_the_calls_leads_nowhere_else(
    desk: FileDesk,
) -> None:
    (desk.outside / "file").write_text(WORD)
    before = state_of(desk)
    told: list[Json] = []

    with swapping(desk.root / "folder", desk.root / "to-directory"):
        for _ in range(150):
            for tool, args in calls_for("folder/file").items():
                if tool not in ("find_files", "search_files"):
                    told.append((await desk.call(tool, **args)).result)

    assert WORD not in str(told)
    assert state_of(desk) == before


@needs_ripgrep
@pytest.mark.skipif(not landlock.is_available(), reason="this kernel cannot keep ripgrep inside")
async def test_a_directory_that_is_swapped_for_a_link_during_a_search_leads_nowhere_else(
    desk: FileDesk,
) -> None:
    (desk.outside / "file").write_text(WORD)

    with swapping(desk.root / "folder", desk.root / "to-directory"):
        told = [(await desk.call("search_files", pattern=".", path="folder")).result for _ in range(30)]

    assert WORD not in str(told)


@needs_ripgrep
async def test_links_are_not_followed_by_a_search(desk: FileDesk) -> None:
    assert (await desk.told("search_files", pattern=WORD, include_ignored=True))["matches"] == 0
    assert (await desk.told("find_files", pattern="secret*", include_ignored=True))["paths"] == []


async def test_a_write_to_a_hard_link_leaves_the_file_outside_as_it_is(desk: FileDesk) -> None:
    (desk.root / "hard").hardlink_to(desk.outside / "secret")
    before = state_of(desk)

    for tool in ("edit_files", "write_file"):
        await desk.told(tool, **calls_for("hard")[tool])

    assert (desk.root / "hard").read_text() == CHANGED
    assert state_of(desk) == before


async def test_a_program_that_runs_as_its_owner_does_not_after_a_write(desk: FileDesk) -> None:
    (desk.root / "program").write_text("old")
    (desk.root / "program").chmod(0o6755)

    await desk.told("write_file", path="program", content="new")

    assert (desk.root / "program").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "folder/file", "path": "../outside/secret"}',
        '{"path": "folder/file", "Path": "../outside/secret"}',
        '{"PATH": "folder/file"}',
        '{"path": "folder/file", "file": "../outside/secret"}',
        '{"path": ["folder/file", "../outside/secret"]}',
    ],
    ids=["twice", "in-two-cases", "in-another-case", "unknown", "a-list"],
)
async def test_a_path_that_is_hidden_from_a_rule_is_refused_because_it_is(desk: FileDesk, text: str) -> None:
    refused = await desk.call_with("read_file", text)

    assert refused.is_error
    assert "Nothing was run" in refused.result["error"]


async def test_a_line_of_64_mib_is_read_in_little_memory(desk: FileDesk) -> None:
    with (desk.root / "line").open("wb") as file:
        for _ in range(64):
            file.write(b"x" * 1024**2)

    tracemalloc.start()
    told = await desk.told("read_file", path="line")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(told["content"]) < 2000
    assert peak < 8 * 1024**2


@pytest.mark.parametrize(
    "asked", [{"limit": 2**80}, {"byte_limit": 2**80}, {"byte_offset": -(2**80), "byte_limit": 2**80}]
)
async def test_a_range_of_any_length_is_bounded(desk: FileDesk, asked: dict[str, int]) -> None:
    (desk.root / "large").write_text("x\n" * 100_000)

    assert len((await desk.told("read_file", path="large", **asked))["content"]) <= 32 * 1024


@pytest.mark.parametrize(
    "asked",
    [{"offset": 2**80}, {"byte_offset": 2**80}, {"limit": 0}, {"byte_limit": -1}, {"offset": 1e400}],
)
async def test_a_range_that_is_nowhere_is_refused(desk: FileDesk, asked: dict[str, Json]) -> None:
    await desk.error("read_file", path="folder/file", **asked)


def test_a_file_that_grows_as_fast_as_it_is_read_has_an_end(desk: FileDesk) -> None:
    path = desk.root / "log"
    path.write_bytes(b"x\n" * CHUNK_BYTES)

    class Appending(Stop):
        """Asked between two chunks."""

        chunks = 0

        def check(self) -> None:
            self.chunks += 1
            assert self.chunks < 10, "there is no end"
            with path.open("ab") as file:
                file.write(b"y\n" * CHUNK_BYTES)

    found = read_some_lines(Root(desk.root), "log", 1, 1, 100, 100, Appending())

    assert found.total_lines == CHUNK_BYTES


async def test_a_sparse_file_of_2_gib_is_neither_edited_nor_loaded(desk: FileDesk) -> None:
    with (desk.root / "sparse").open("wb") as file:
        file.truncate(2 * 1024**3)
    with (desk.root / "sparse.png").open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.truncate(2 * 1024**3)
    desk.sees = frozenset({"image/png"})
    edits = [{"old_text": "a", "new_text": "b"}]

    tracemalloc.start()
    words = await desk.error("edit_files", files=[{"path": "sparse", "edits": edits}])
    shown = await desk.told("read_file", path="sparse.png")
    written = await desk.told("write_file", path="sparse", content="small")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert "larger than 8 MiB" in words
    assert "larger than the 5 MiB" in shown["note"]
    assert written["size"] == 5
    assert peak < 4 * EDIT_BYTES_MAX


async def test_a_million_edits_are_refused(desk: FileDesk) -> None:
    edit = {"old_text": "ours", "new_text": "ours"}

    words = await desk.error("edit_files", files=[{"path": "folder/file", "edits": [edit] * 1_000_000}])
    others = await desk.error("edit_files", files=[{"path": "folder/file", "edits": [edit]}] * 1_000_000)

    assert "length <= 500" in words
    assert "length <= 50" in others


async def test_edits_that_double_a_file_each_time_end_at_a_bound(desk: FileDesk) -> None:
    (desk.root / "a").write_text("a" * 1000)
    double = {"old_text": "a" * 1000, "new_text": "a" * 2000, "replace_all": True}

    words = await desk.error("edit_files", files=[{"path": "a", "edits": [double] * 100}])

    assert "would become larger than 8 MiB" in words
    assert (desk.root / "a").stat().st_size == 1000


async def test_a_letter_that_is_everywhere_in_a_large_file_is_not_replaced(desk: FileDesk) -> None:
    (desk.root / "a").write_text("a" * 1_000_000)
    edits = [{"old_text": "a", "new_text": "b", "replace_all": True}]

    words = await desk.error("edit_files", files=[{"path": "a", "edits": edits}])

    assert "more than 100000 times" in words


async def test_texts_of_equal_lines_are_compared_within_a_bound(desk: FileDesk) -> None:
    (desk.root / "a").write_text("x\ny\n" * 50_000)

    told = await desk.told("write_file", path="a", content="y\nx\n" * 50_000)

    assert len(told["diff"]) < 40_000


@needs_ripgrep
async def test_an_expression_that_backtracks_elsewhere_takes_no_time(desk: FileDesk) -> None:
    (desk.root / "a").write_text("a" * 100_000 + "b\n")

    assert (await desk.told("search_files", pattern="(a+)+$", path="a"))["matches"] == 0


@needs_ripgrep
@pytest.mark.parametrize("pattern", [r"((a{1000}){1000}){1000}", r"\p{L}{1000}{1000}", "(" * 5000])
async def test_an_expression_that_would_fill_the_memory_is_refused(desk: FileDesk, pattern: str) -> None:
    assert "cannot be searched for" in await desk.error("search_files", pattern=pattern)


@needs_ripgrep
@pytest.mark.parametrize(
    "pattern",
    ["{a,b}" * 30, "{" * 900, "*a" * 400 + "b", "**/" * 300 + "x", "[" * 900, "{a,{b,{c," * 100],
    ids=["alternatives", "braces", "stars", "any-directories", "brackets", "nested"],
)
async def test_a_pattern_that_could_be_matched_for_ever_is_matched_or_refused_at_once(
    desk: FileDesk, pattern: str
) -> None:
    (desk.root / ("a" * 250)).touch()

    found = await desk.call("find_files", pattern=pattern)
    searched = await desk.call("search_files", pattern="x", glob=pattern)

    for result in (found, searched):
        assert not result.is_error or "alternatives" in result.result["error"]


@needs_ripgrep
@pytest.mark.parametrize("option", ["--pre=./run", "--files", "-f../outside/secret", "--follow", "!*"])
async def test_options_of_the_search_program_are_only_text(desk: FileDesk, option: str) -> None:
    (desk.root / "run").write_text("#!/bin/sh\ntouch pwned\ncat ../outside/secret\n")
    (desk.root / "run").chmod(0o755)

    told = [
        (await desk.call("search_files", pattern=option)).result,
        (await desk.call("search_files", pattern=".", glob=option)).result,
        (await desk.call("search_files", pattern=".", path=option)).result,
        (await desk.call("find_files", pattern=option)).result,
    ]

    assert WORD not in str(told)
    assert "pwned" not in names_in(desk.root)


@needs_ripgrep
async def test_files_in_the_workspace_do_not_configure_the_search(desk: FileDesk) -> None:
    for name in (".ripgreprc", "ripgreprc", ".rgrc"):
        (desk.root / name).write_text("--follow\n--no-ignore\n")

    assert (await desk.told("search_files", pattern=WORD))["matches"] == 0


@needs_ripgrep
async def test_what_is_compressed_is_not_unpacked(desk: FileDesk) -> None:
    (desk.root / "bomb.gz").write_bytes(gzip.compress(b"needle\n" * 1_000_000))

    assert (await desk.told("search_files", pattern="needle"))["matches"] == 0


@needs_ripgrep
async def test_a_huge_directory_gives_as_much_as_fits(desk: FileDesk) -> None:
    for number in range(FIND_PATHS_MAX + 500):
        (desk.root / "folder" / f"{number:05}").touch()

    told = await desk.told("find_files", limit=FIND_PATHS_MAX)

    assert len(told["paths"]) <= FIND_PATHS_MAX
    assert "There are more" in told["note"]


@needs_ripgrep
async def test_a_search_that_finds_everything_gives_as_much_as_fits(desk: FileDesk) -> None:
    for number in range(50):
        (desk.root / f"{number}").write_text(("x" * 3000 + "\n") * 200)

    told = await desk.told(
        "search_files", pattern="x", limit=SEARCH_MATCHES_MAX, context_lines=SEARCH_CONTEXT_LINES_MAX
    )

    assert len(codec.encode(told)) < 48 * 1024
    assert "There are more" in told["note"]


@needs_ripgrep
async def test_directories_in_directories_can_be_as_deep_as_the_system_allows(desk: FileDesk) -> None:
    deep = "d/" * 400 + "file"

    await desk.told("write_file", path=deep, content="x")

    assert (await desk.told("find_files", pattern="file", path="d"))["paths"] == [deep]
    assert (await desk.told("read_file", path=deep))["content"] == "1\tx"


async def test_calls_that_fail_leave_nothing_open_and_nothing_behind(desk: FileDesk) -> None:
    names = names_in(desk.root)
    await expect_all_refused(desk, "to-file")
    before = open_files()

    for attempt in (*LEADING_OUT.values(), *UNUSABLE.values(), "folder"):
        path = attempt.format(outside=desk.outside, root=desk.root)
        for tool, args in calls_for(path).items():
            if attempt != "folder" or tool != "find_files":
                await desk.call(tool, **args)

    assert (open_files(), names_in(desk.root)) == (before, names)
