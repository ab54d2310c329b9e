from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.tools.files.diffs import DIFF_CHARACTERS_MAX, REST_LEFT_OUT
from chatd.tools.files.write_file import write_file
from chatd.workspaces.files import WRITE_BYTES_MAX
from tests.tools.files.desk import FileDesk
from tests.traceability import proves
from tests.workspaces.trees import file_size_limit, names_in


@proves("tools", 35)
async def test_a_new_file_is_made_with_the_directories_above_it(desk: FileDesk) -> None:
    content = "one\r\n\ttwo — € \n"

    told = await desk.told("write_file", path="a/b/c.txt", content=content)

    assert told == {"ok": True, "created": True, "size": len(content.encode())}
    assert (desk.root / "a/b/c.txt").read_bytes() == content.encode()
    assert names_in(desk.root / "a/b") == ["c.txt"]


async def test_what_is_replaced_is_told_as_a_diff(desk: FileDesk) -> None:
    (desk.root / "a").write_text("one\ntwo\n")

    told = await desk.told("write_file", path="a", content="one\n2\n")

    assert told == {
        "ok": True,
        "created": False,
        "size": 6,
        "diff": "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    }


async def test_a_long_diff_is_shortened_and_a_file_that_is_the_same_has_none(desk: FileDesk) -> None:
    (desk.root / "a").write_text("one\n" * 20_000)
    content = "two\n" * 20_000

    long = await desk.told("write_file", path="a", content=content)
    same = await desk.told("write_file", path="a", content=content)

    assert len(long["diff"]) <= DIFF_CHARACTERS_MAX + len(REST_LEFT_OUT)
    assert long["diff"].endswith(f"-one\n{REST_LEFT_OUT}")
    assert same == {"ok": True, "created": False, "size": len(content)}


@proves("tools", 36)
async def test_through_a_link_its_target_is_written(desk: FileDesk) -> None:
    (desk.root / "target").write_text("old")
    (desk.root / "link").symlink_to("target")

    await desk.told("write_file", path="link", content="new")

    assert (desk.root / "link").is_symlink()
    assert (desk.root / "target").read_text() == "new"


async def test_through_a_link_nothing_is_written_that_the_rules_protect(desk: FileDesk) -> None:
    (desk.root / "target").write_text("old")
    (desk.root / "link").symlink_to("target")
    desk.forbidden = frozenset({"target"})

    words = await desk.error("write_file", path="link", content="new")

    assert words == "link leads to target, which the rules do not allow."
    assert (desk.root / "target").read_text() == "old"


@proves("tools", 37)
async def test_the_mode_of_a_file_remains(desk: FileDesk) -> None:
    (desk.root / "program").write_text("old")
    (desk.root / "program").chmod(0o755)

    await desk.told("write_file", path="program", content="new")

    assert (desk.root / "program").stat().st_mode & 0o7777 == 0o755


async def test_what_cannot_be_written_says_why(desk: FileDesk) -> None:
    (desk.root / "folder").mkdir()

    errors = {
        "a directory": await desk.error("write_file", path="folder", content="x"),
        "outside": await desk.error("write_file", path=f"{desk.outside}/new", content="x"),
        "too much": await desk.error("write_file", path="a", content="x" * (WRITE_BYTES_MAX + 1)),
    }

    assert errors == {
        "a directory": "folder is a directory, not a file. find_files lists what is in it.",
        "outside": f"{desk.outside}/new leads out of the workspace {desk.root}. Use a path inside of it; "
        "relative paths start there.",
        "too much": f"a: {WRITE_BYTES_MAX + 1} bytes are more than {WRITE_BYTES_MAX} at once.",
    }
    assert names_in(desk.outside) == ["secret"]


async def test_a_write_that_fails_leaves_the_file_as_it_was(desk: FileDesk) -> None:
    (desk.root / "a").write_text("old")

    with file_size_limit(100_000):
        words = await desk.error("write_file", path="a", content="x" * 200_000)

    assert "was not written" in words
    assert ((desk.root / "a").read_text(), names_in(desk.root)) == ("old", ["a"])


async def test_a_person_who_is_asked_sees_what_it_would_change(desk: FileDesk) -> None:
    (desk.root / "a").write_text("one\n")
    (desk.root / "binary").write_bytes(b"\0")

    changed = await desk.preview("write_file", path="a", content="two\n")
    made = await desk.preview("write_file", path="new", content="one\ntwo\n")

    assert changed == "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"
    assert made == "--- a/new\n+++ b/new\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert "writes 1 bytes to binary" in await desk.preview("write_file", path="binary", content="x")
    assert "leads out of" in await desk.preview("write_file", path="../x", content="x")
    assert ((desk.root / "a").read_text(), names_in(desk.root)) == ("one\n", ["a", "binary"])


def test_it_tells_what_it_writes_and_may_be_repeated(desk: FileDesk) -> None:
    assert desk.touches("write_file", path="a", content="") == Touches(writes=("a",))
    assert write_file.effect is Effect.REPEATABLE
