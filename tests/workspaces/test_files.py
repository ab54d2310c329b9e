"""What every implementation of `Files` promises. A new kind of workspace is one more fixture parameter."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chatd.workspaces.files import (
    EDIT_BYTES_MAX,
    EDIT_FILES_MAX,
    EDITS_MAX,
    WRITE_BYTES_MAX,
    EditFailed,
    FileEdits,
    FileError,
    FileKind,
    Files,
    FindQuery,
    Problem,
    SearchQuery,
    TextEdit,
)
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from chatd.workspaces.local.files.writing import COMPARED_BYTES_MAX
from tests.traceability import proves
from tests.workspaces.trees import (
    file_size_limit,
    names_in,
    needs_ripgrep,
    open_directory,
    without_privileges,
)

KINDS = {"local": LocalFiles}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The directory of the workspace, with a neighbour that is none of its business."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    root = tmp_path / "root"
    root.mkdir()
    return root


@pytest.fixture(params=KINDS)
async def files(request: pytest.FixtureRequest, root: Path) -> AsyncIterator[Files]:
    threads = Threads()
    yield KINDS[request.param](root, threads)
    threads.close()


@contextmanager
def refused(problem: Problem) -> Iterator[pytest.ExceptionInfo[FileError]]:
    with pytest.raises(FileError) as error:
        yield error
    assert error.value.problem is problem, error.value


async def lines_of(files: Files, path: str, first: int = 1, count: int = 2000) -> list[bytes]:
    found = await files.read_lines(path, first=first, count=count, line_bytes_max=1024, bytes_max=32768)
    return [line.data for line in found.lines]


def edits(path: str, old: str, new: str) -> FileEdits:
    return FileEdits(path=path, edits=(TextEdit(old_text=old, new_text=new),))


def many_edits(path: str, count: int) -> FileEdits:
    return FileEdits(path=path, edits=(TextEdit(old_text="a", new_text="b"),) * count)


class TestPaths:
    async def test_relative_and_absolute_paths_lead_to_the_same_file(self, files: Files, root: Path) -> None:
        (root / "a").mkdir()
        (root / "a" / "b").write_text("x")

        for path in ("a/b", "./a//b", f"{root}/a/b", f"{root}/./a/../a/b", "a/../a/b"):
            assert (await files.read(path)).data == b"x"

    @pytest.mark.parametrize(
        "path", ["..", "../outside/secret", "a/../../outside/secret", "/etc/passwd", "/"]
    )
    async def test_what_is_above_the_root_is_outside(self, files: Files, root: Path, path: str) -> None:
        (root / "a").mkdir()

        with refused(Problem.OUTSIDE):
            await files.read(path)

    @proves("workspaces", 59)
    async def test_a_link_that_leads_out_is_refused_for_reading_and_writing(
        self, files: Files, root: Path
    ) -> None:
        (root / "file").symlink_to("../outside/secret")
        (root / "folder").symlink_to(root.parent / "outside")
        (root / "new").symlink_to("../outside/new")

        for path in ("file", "folder/secret", "new", "folder/new"):
            for attempt in (files.read(path), files.write(path, b"x"), files.stat(path)):
                with refused(Problem.OUTSIDE):
                    await attempt
        with refused(Problem.OUTSIDE):
            await files.write("../outside/secret", b"x")
        assert (root.parent / "outside" / "secret").read_text() == "secret"
        assert names_in(root.parent / "outside") == ["secret"]

    async def test_links_inside_are_followed_whether_relative_or_absolute(
        self, files: Files, root: Path
    ) -> None:
        (root / "real").mkdir()
        (root / "real" / "file").write_text("x")
        (root / "relative").symlink_to("real/../real")
        (root / "absolute").symlink_to(root / "real")

        for path in ("relative/file", "absolute/file", f"{root}/absolute/file"):
            assert (await files.read(path)).data == b"x"
            assert await files.resolve(path) == f"{root}/real/file"

    async def test_links_in_a_circle_end(self, files: Files, root: Path) -> None:
        (root / "a").symlink_to("b")
        (root / "b").symlink_to("a")

        with refused(Problem.BAD_PATH):
            await files.read("a")

    @pytest.mark.parametrize("path", ["", "a\0b", "\ud800", "a/" * 3000, "x" * 300])
    async def test_a_path_that_no_file_can_have_is_refused(self, files: Files, path: str) -> None:
        with refused(Problem.BAD_PATH):
            await files.read(path)

    @proves("workspaces", 23)
    async def test_of_a_path_whose_last_parts_do_not_exist_the_first_are_resolved(
        self, files: Files, root: Path
    ) -> None:
        (root / "real").mkdir()
        (root / "link").symlink_to("real")

        assert await files.resolve("link/new/file") == f"{root}/real/new/file"
        assert await files.resolve(".") == str(root)
        with refused(Problem.MISSING):
            await files.resolve("link/new/../file")

    async def test_a_root_that_is_a_link_may_be_named_by_it(self, root: Path) -> None:
        (root / "file").write_text("x")
        alias = root.parent / "alias"
        alias.symlink_to(root)
        files = LocalFiles(alias, Threads(inline=True))

        assert files.root == str(root)
        assert (await files.read(f"{alias}/file")).data == (await files.read(f"{root}/file")).data == b"x"

    async def test_a_root_that_is_gone_says_so(self, files: Files, root: Path) -> None:
        root.rmdir()

        with refused(Problem.UNAVAILABLE) as error:
            await files.read("a")
        assert str(root) in str(error.value)


class TestReading:
    @proves("workspaces", 14)
    async def test_missing_a_directory_and_unreadable_are_told_apart(self, files: Files, root: Path) -> None:
        (root / "folder").mkdir()
        (root / "file").write_text("x")

        with refused(Problem.MISSING):
            await files.read("nothing")
        with refused(Problem.IS_DIRECTORY):
            await files.read("folder")
        with refused(Problem.NOT_DIRECTORY):
            await files.read("file/x")

    @proves("workspaces", 14)
    async def test_an_unreadable_file_is_denied_and_a_read_only_one_is_not_written(self) -> None:
        with open_directory() as root:
            (root / "closed").write_text("x")
            (root / "closed").chmod(0)
            (root / "fixed").write_text("x")
            (root / "fixed").chmod(0o444)
            files = LocalFiles(root, Threads(inline=True))

            with without_privileges():
                with refused(Problem.DENIED):
                    await files.read("closed")
                with refused(Problem.DENIED):
                    await files.write("fixed", b"y")
                assert (await files.read("fixed")).data == b"x"

    async def test_any_range_of_bytes_can_be_read(self, files: Files, root: Path) -> None:
        (root / "file").write_bytes(b"0123456789")

        for offset, limit, data, start in [
            (0, 4, b"0123", 0),
            (8, 4, b"89", 8),
            (-3, 2, b"78", 7),
            (-99, 2, b"01", 0),
            (99, 4, b"", 99),
        ]:
            piece = await files.read("file", offset=offset, limit=limit)
            assert (piece.data, piece.offset, piece.file_size) == (data, start, 10)

    async def test_lines_have_no_endings_and_the_last_one_needs_none(self, files: Files, root: Path) -> None:
        (root / "file").write_bytes(b"a\r\n\nb\rc\nd")

        found = await files.read_lines("file", count=9, line_bytes_max=99, bytes_max=99)

        assert [line.data for line in found.lines] == [b"a", b"", b"b\rc", b"d"]
        assert (found.total_lines, found.file_size) == (4, 9)

    @pytest.mark.parametrize(
        ("first", "count"), [(1, 3), (2, 1), (499_999, 5), (500_001, 5), (250_000, 2000)]
    )
    async def test_lines_anywhere_in_a_large_file_are_those_lines(
        self, files: Files, root: Path, first: int, count: int
    ) -> None:
        numbers = range(1, 500_001)
        (root / "file").write_text("".join(f"{n}\n" for n in numbers))

        found = await files.read_lines("file", first=first, count=count, line_bytes_max=99, bytes_max=99_999)

        assert [int(line.data) for line in found.lines] == list(numbers[first - 1 : first - 1 + count])
        assert found.total_lines == 500_000

    async def test_a_long_line_is_clipped_and_says_by_how_much(self, files: Files, root: Path) -> None:
        (root / "file").write_bytes(b"x" * 3_000_000 + b"\r\nshort\r\n")

        found = await files.read_lines("file", count=9, line_bytes_max=10, bytes_max=99)

        assert [(line.data, line.clipped) for line in found.lines] == [(b"x" * 10, 2_999_991), (b"short", 0)]

    async def test_as_many_lines_come_as_fit(self, files: Files, root: Path) -> None:
        (root / "file").write_text("1234\n" * 10)

        some = await files.read_lines("file", count=10, line_bytes_max=99, bytes_max=15)
        one = await files.read_lines("file", count=10, line_bytes_max=99, bytes_max=1)

        assert (len(some.lines), some.cut, some.total_lines) == (3, True, 10)
        assert len(one.lines) == 1

    async def test_lines_tell_which_file_they_are_of_and_how_it_begins(
        self, files: Files, root: Path
    ) -> None:
        (root / "file").write_bytes(b"a\nb")
        (root / "link").symlink_to("file")

        found = await files.read_lines("link", first=2, count=1, line_bytes_max=99, bytes_max=99)

        assert (found.path, found.beginning) == (str(root / "file"), b"a\nb")

    async def test_what_is_not_text_has_no_lines(self, files: Files, root: Path) -> None:
        (root / "file").write_bytes(b"a\n\0\n")

        found = await files.read_lines("file", count=9, line_bytes_max=99, bytes_max=99)

        assert (found.lines, found.total_lines, found.beginning) == ((), None, b"a\n\0\n")

    async def test_an_empty_file_has_no_lines(self, files: Files, root: Path) -> None:
        (root / "file").touch()

        found = await files.read_lines("file", count=9, line_bytes_max=99, bytes_max=99)

        assert (found.lines, found.total_lines) == ((), 0)

    async def test_names_that_are_no_text_can_be_listed(self, files: Files, root: Path) -> None:
        for name in (b"a\nb", b"n\xe9", b"-rf", b" "):
            (root / os.fsdecode(name)).touch()
        (root / "folder").mkdir()
        (root / "link").symlink_to("folder")

        listing = await files.list(".")

        assert len(listing.entries) == 6
        assert [e.kind for e in listing.entries if e.name in ("folder", "link")] == [
            FileKind.DIRECTORY,
            FileKind.LINK,
        ]
        for entry in listing.entries:
            if entry.kind is FileKind.FILE:
                assert (await files.read(entry.name)).data == b""

    @proves("workspaces", 22)
    async def test_a_listing_has_absolute_paths_and_is_bounded(self, files: Files, root: Path) -> None:
        (root / "folder").mkdir()
        for number in range(5):
            (root / "folder" / str(number)).touch()

        listing = await files.list("folder", limit=3)

        assert listing.path == f"{root}/folder"
        assert [entry.path for entry in listing.entries] == [f"{root}/folder/{n}" for n in range(3)]
        assert listing.truncated
        assert not (await files.list("folder")).truncated
        with refused(Problem.NOT_DIRECTORY):
            await files.list("folder/1")
        with refused(Problem.MISSING):
            await files.list("nothing")


class TestWriting:
    @proves("workspaces", 12)
    async def test_directories_are_made_and_a_reader_sees_all_or_nothing(
        self, files: Files, root: Path
    ) -> None:
        one, other = b"1" * 2_000_000, b"2" * 3_000_000
        await files.write("a/b/c", one)
        seen: set[bytes] = set()
        looked = asyncio.Event()

        async def look() -> None:
            while True:
                seen.add((await files.read("a/b/c")).data)
                looked.set()

        async with asyncio.TaskGroup() as group:
            reader = group.create_task(look())
            for content in (other, one) * 5:
                looked.clear()
                await files.write("a/b/c", content)
                await looked.wait()
            reader.cancel()

        assert seen <= {one, other}
        assert names_in(root / "a" / "b") == ["c"]

    async def test_what_was_written_is_told(self, files: Files, root: Path) -> None:
        first = await files.write("a", b"x")
        second = await files.write("a", b"xyz")

        assert (first.created, first.path, first.size) == (True, f"{root}/a", 1)
        assert (second.created, second.size) == (False, 3)

    async def test_what_a_write_changes_is_told_as_a_diff(self, files: Files, root: Path) -> None:
        (root / "a").write_text("one\ntwo\n")

        written = await files.write("a", b"one\n2\n")
        again = await files.write("a", b"one\n2\n")

        assert written.diff == "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        assert again.diff == ""
        assert (await files.write("new", b"x\n")).diff == "--- a/new\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"

    async def test_what_is_no_text_or_too_large_is_written_without_a_diff(
        self, files: Files, root: Path
    ) -> None:
        (root / "binary").write_bytes(b"\0")
        (root / "latin").write_bytes(b"\xe9")
        (root / "large").write_bytes(b"x" * (COMPARED_BYTES_MAX + 1))

        assert [(await files.write(path, b"x")).diff for path in names_in(root)] == ["", "", ""]

    async def test_a_preview_of_a_write_writes_nothing(self, files: Files, root: Path) -> None:
        (root / "a").write_text("one\n")

        written = await files.write("a", b"two\n", only_preview=True)
        made = await files.write("new/b", b"two\n", only_preview=True)

        assert "-one\n+two\n" in written.diff
        assert (written.created, made.created) == (False, True)
        assert ((root / "a").read_text(), names_in(root)) == ("one\n", ["a"])

    @proves("workspaces", 13)
    async def test_a_link_stays_and_its_target_changes(self, files: Files, root: Path) -> None:
        (root / "target").write_text("old")
        (root / "link").symlink_to("target")
        (root / "dangling").symlink_to("new/file")

        await files.write("link", b"new")
        await files.write("dangling", b"made")

        assert (root / "link").is_symlink()
        assert (root / "target").read_text() == "new"
        assert (root / "new" / "file").read_text() == "made"

    async def test_permissions_stay_but_for_those_of_another_user(self, files: Files, root: Path) -> None:
        (root / "program").write_text("old")
        (root / "program").chmod(0o4755)

        await files.write("program", b"new")

        assert (root / "program").stat().st_mode & 0o7777 == 0o755

    async def test_a_directory_is_not_written_over(self, files: Files, root: Path) -> None:
        (root / "folder").mkdir()
        (root / "file").touch()

        for path in ("folder", ".", "new/"):
            with refused(Problem.IS_DIRECTORY):
                await files.write(path, b"x")
        with refused(Problem.NOT_DIRECTORY):
            await files.write("file/x", b"x")

    async def test_too_much_at_once_is_refused(self, files: Files) -> None:
        with refused(Problem.TOO_LARGE):
            await files.write("a", bytes(WRITE_BYTES_MAX + 1))


class TestEditing:
    async def test_several_files_are_edited_together_with_a_diff_of_each(
        self, files: Files, root: Path
    ) -> None:
        (root / "a").write_text("one\n")
        (root / "b").write_text("two\n")

        edited = await files.edit([edits("a", "one", "1"), edits("b", "two", "2"), edits("a", "1", "eins")])

        assert [each.path for each in edited] == ["a", "b"]
        assert edited[0].diff == "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+eins\n"
        assert ((root / "a").read_text(), (root / "b").read_text()) == ("eins\n", "2\n")

    async def test_edits_of_one_file_at_the_same_time_are_all_made(self, files: Files, root: Path) -> None:
        (root / "a").write_text("".join(f"<{n}>\n" for n in range(20)))

        await asyncio.gather(*(files.edit([edits("a", f"<{n}>", f"{n} done")]) for n in range(20)))

        assert (root / "a").read_text() == "".join(f"{n} done\n" for n in range(20))

    async def test_a_preview_writes_nothing(self, files: Files, root: Path) -> None:
        (root / "a").write_text("one\n")

        edited = await files.edit([edits("a", "one", "1")], only_preview=True)

        assert "+1" in edited[0].diff
        assert (root / "a").read_text() == "one\n"

    @proves("tools", 38)
    async def test_one_edit_that_does_not_match_leaves_every_file_as_it_is(
        self, files: Files, root: Path
    ) -> None:
        (root / "a").write_text("one\n")
        (root / "b").write_text("two\n")

        with pytest.raises(FileError, match=r"files\[1\] \(b\): edits\[0\]: .* Nothing was changed\."):
            await files.edit([edits("a", "one", "1"), edits("b", "three", "3")])
        assert (root / "a").read_text() == "one\n"

    @proves("tools", 43)
    async def test_one_file_by_two_names_is_refused(self, files: Files, root: Path) -> None:
        (root / "a").write_text("one two\n")
        (root / "link").symlink_to("a")

        for path in ("link", f"{root}/a"):
            with refused(Problem.BAD_PATH) as error:
                await files.edit([edits("a", "one", "1"), edits(path, "two", "2")])
            assert "the same file as a" in str(error.value)

    async def test_a_write_that_fails_half_way_restores_what_was_written(
        self, files: Files, root: Path
    ) -> None:
        (root / "a").write_text("one\n")
        (root / "b").write_text("two\n")

        with file_size_limit(100_000), pytest.raises(EditFailed) as error:
            await files.edit([edits("a", "one", "1"), edits("b", "two", "2" * 200_000)])

        assert (error.value.restored, error.value.changed) == (("a",), ())
        assert "restored: a. Nothing was changed." in str(error.value)
        assert ((root / "a").read_text(), (root / "b").read_text()) == ("one\n", "two\n")
        assert names_in(root) == ["a", "b"]

    async def test_what_is_no_text_or_too_large_is_not_edited(self, files: Files, root: Path) -> None:
        (root / "binary").write_bytes(b"\xff\xfe")
        (root / "large").write_bytes(b"x" * (EDIT_BYTES_MAX + 1))

        with refused(Problem.NOT_TEXT):
            await files.edit([edits("binary", "a", "b")])
        with refused(Problem.TOO_LARGE):
            await files.edit([edits("large", "a", "b")])
        with refused(Problem.TOO_LARGE):
            await files.edit([edits(str(n), "a", "b") for n in range(EDIT_FILES_MAX + 1)])
        with refused(Problem.TOO_LARGE):
            await files.edit([edits("a", "a", "b")] * (EDIT_FILES_MAX - 1) + [many_edits("a", EDITS_MAX)])


@needs_ripgrep
class TestFinding:
    async def found(self, files: Files, pattern: str, path: str = ".", **more: bool) -> list[str]:
        return list((await files.find(FindQuery(pattern=pattern, path=path, **more))).paths)

    async def test_files_are_found_by_name_and_by_path(self, files: Files, root: Path) -> None:
        for name in ("a.py", "src/b.py", "src/deep/c.py", "src/d.txt", ".github/e.yml"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()

        assert await self.found(files, "*.py") == ["a.py", "src/b.py", "src/deep/c.py"]
        assert await self.found(files, "src/*.py") == ["src/b.py"]
        assert await self.found(files, "src/**") == ["src/b.py", "src/d.txt", "src/deep/c.py"]
        assert await self.found(files, "src/**/*.{py,txt}") == ["src/b.py", "src/d.txt", "src/deep/c.py"]
        assert await self.found(files, "**/e.*") == [".github/e.yml"]
        assert await self.found(files, "*.py", path="src") == ["src/b.py", "src/deep/c.py"]
        assert await self.found(files, "deep/*", path="src") == ["src/deep/c.py"]
        assert await self.found(files, "[ab].py") == ["a.py", "src/b.py"]
        assert await self.found(files, "nothing") == []

    async def test_ignore_rules_count_unless_they_are_switched_off(self, files: Files, root: Path) -> None:
        (root / ".gitignore").write_text("*.log\n/build\n")
        (root / "src").mkdir()
        (root / "src" / ".ignore").write_text("private.txt\n")
        (root / "build").mkdir()
        (root / ".git").mkdir()
        for name in ("a.log", "build/a.txt", "src/a.txt", "src/private.txt", "src/b.log", ".git/a.txt"):
            (root / name).touch()

        assert await self.found(files, "*.txt") == ["src/a.txt"]
        assert await self.found(files, "*.log") == []
        # A rule of the root counts as well where the search starts further down.
        assert await self.found(files, "*", path="src") == ["src/.ignore", "src/a.txt"]
        assert await self.found(files, "*.txt", include_ignored=True) == [
            "build/a.txt",
            "src/a.txt",
            "src/private.txt",
        ]

    async def test_more_than_the_limit_is_said(self, files: Files, root: Path) -> None:
        for number in range(5):
            (root / str(number)).touch()

        found = await files.find(FindQuery(pattern="*", limit=3))

        assert (found.paths, found.truncated) == (("0", "1", "2"), True)

    async def test_a_bad_place_or_pattern_is_refused(self, files: Files) -> None:
        with refused(Problem.MISSING):
            await files.find(FindQuery(pattern="*", path="nothing"))
        with refused(Problem.OUTSIDE):
            await files.find(FindQuery(pattern="*", path=".."))
        with refused(Problem.BAD_PATTERN):
            await files.find(FindQuery(pattern="{a,b}" * 7))


@needs_ripgrep
class TestSearching:
    async def found(self, files: Files, pattern: str, **more: object) -> list[tuple[str, int, str]]:
        query = SearchQuery(pattern=pattern, **more)  # type: ignore[arg-type]
        return [(match.path, match.line, match.text) for match in (await files.search(query)).lines]

    async def test_lines_are_found_by_a_regular_expression_or_a_text(self, files: Files, root: Path) -> None:
        (root / "a.py").write_text("one\ntwo (2)\n")
        (root / "b.txt").write_bytes(b"Two\r\n")

        assert await self.found(files, r"t.o \(") == [("a.py", 2, "two (2)")]
        assert await self.found(files, "(2)", literal=True) == [("a.py", 2, "two (2)")]
        assert await self.found(files, "two", ignore_case=True) == [
            ("a.py", 2, "two (2)"),
            ("b.txt", 1, "Two"),
        ]
        assert await self.found(files, "two", ignore_case=True, glob="*.txt") == [("b.txt", 1, "Two")]
        assert await self.found(files, "three") == []

    async def test_lines_around_a_match_can_be_asked_for(self, files: Files, root: Path) -> None:
        (root / "a").write_text("1\n2\n3\n4\n5\n")

        found = await files.search(SearchQuery(pattern="3", context_lines=1))

        assert [(m.line, m.is_context) for m in found.lines] == [(2, True), (3, False), (4, True)]
        assert found.count == 1

    async def test_one_file_or_one_folder_can_be_searched(self, files: Files, root: Path) -> None:
        (root / "src").mkdir()
        for name in ("a", "src/a", "src/b"):
            (root / name).write_text("x\n")

        assert await self.found(files, "x", path="src/b") == [("src/b", 1, "x")]
        assert await self.found(files, "x", path="src") == [("src/a", 1, "x"), ("src/b", 1, "x")]
        assert await self.found(files, "x", path=f"{root}/src", glob="b") == [("src/b", 1, "x")]

    async def test_ignored_files_are_not_searched_even_if_a_glob_names_them(
        self, files: Files, root: Path
    ) -> None:
        (root / ".gitignore").write_text("*.env\n")
        (root / "a.env").write_text("x\n")

        assert await self.found(files, "x", glob="*.env") == []
        assert await self.found(files, "x", glob="*.env", include_ignored=True) == [("a.env", 1, "x")]

    async def test_a_bad_expression_is_explained(self, files: Files) -> None:
        with refused(Problem.BAD_PATTERN) as error:
            await files.search(SearchQuery(pattern="("))
        assert "unclosed group" in str(error.value)

    async def test_more_than_the_limit_is_said(self, files: Files, root: Path) -> None:
        (root / "a").write_text("x\n" * 10)

        found = await files.search(SearchQuery(pattern="x", limit=3))

        assert (found.count, found.truncated) == (3, True)

    async def test_a_long_line_is_shown_around_its_match(self, files: Files, root: Path) -> None:
        (root / "a").write_text("y" * 5000 + "needle" + "z" * 5000 + "\n")

        ((_, _, text),) = await self.found(files, "needle")

        assert "needle" in text
        assert len(text) < 500
        assert text.startswith("…")
        assert text.endswith("…")

    async def test_a_line_with_thousands_of_matches_is_found(self, files: Files, root: Path) -> None:
        (root / "a.js").write_text("x" * 50_000 + "\n" + '{"type":"match","submatches":[{"start":9}]}\n')

        found = await self.found(files, ".")

        assert [(line, text[:4]) for _, line, text in found] == [(1, "xxxx"), (2, '{"ty')]

    async def test_a_line_that_is_too_long_to_be_shown_is_passed_over(self, files: Files, root: Path) -> None:
        (root / "a").write_text("x" * 3_000_000 + "\nx\n")

        assert await self.found(files, "x") == [("a", 2, "x")]

    async def test_names_that_are_no_text_are_shown(self, files: Files, root: Path) -> None:
        for name in (b"a\nb", b"n\xe9"):
            (root / os.fsdecode(name)).write_text("x\n")

        assert [path for path, _, _ in await self.found(files, "x")] == ["a\nb", "n\ufffd"]
