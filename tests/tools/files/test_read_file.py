import pytest

from chatd.domain.approvals.rule import Touches
from chatd.domain.part import Json
from chatd.tools.files.read_file import BYTES_MAX, IMAGE_BYTES_MAX, LINE_BYTES_MAX
from tests.tools.files.desk import FileDesk
from tests.traceability import proves

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40_000)


async def test_lines_come_with_their_numbers(desk: FileDesk) -> None:
    (desk.root / "a").write_text("one\n\ttwo\nthree")

    assert await desk.told("read_file", path="a") == {
        "content": "1\tone\n2\t\ttwo\n3\tthree",
        "file_size": 14,
        "lines_read": 3,
        "total_lines": 3,
    }


async def test_a_range_of_lines_says_where_to_go_on(desk: FileDesk) -> None:
    (desk.root / "a").write_text("".join(f"{n}\n" for n in range(1, 11)))

    first = await desk.told("read_file", path="a", offset=4, limit=2)
    rest = await desk.told("read_file", path="a", offset=first["next_offset"])

    assert (first["content"], first["next_offset"]) == ("4\t4\n5\t5", 6)
    assert first["note"] == "These are lines 4 to 5 of 10. Go on with offset 6."
    assert (rest["lines_read"], rest.keys() & {"next_offset", "note"}) == (5, set())


async def test_a_long_file_is_read_page_by_page_whatever_limit_is_asked_for(desk: FileDesk) -> None:
    (desk.root / "a").write_text("x\n" * 3000)

    for asked in ({}, {"limit": 2500}):
        page = await desk.told("read_file", path="a", **asked)
        assert (page["lines_read"], page["total_lines"], page["next_offset"]) == (2000, 3000, 2001)
    assert (await desk.told("read_file", path="a", offset=2001))["lines_read"] == 1000


async def test_of_long_lines_as_many_are_shown_as_fit_and_none_is_missed(desk: FileDesk) -> None:
    lines = [f"{n:03}" + "x" * 500 for n in range(200)]
    (desk.root / "a").write_text("\n".join(lines))

    seen: list[str] = []
    offset: int | None = 1
    while offset is not None:
        page = await desk.told("read_file", path="a", offset=offset)
        assert len(page["content"].encode()) <= BYTES_MAX
        seen += [line.partition("\t")[2] for line in page["content"].split("\n")]
        offset = page.get("next_offset")

    assert seen == lines


@proves("tools", 32)
async def test_a_long_line_is_clipped_with_a_marker(desk: FileDesk) -> None:
    (desk.root / "a").write_text("x" * 5000 + "\nshort\n")

    content = (await desk.told("read_file", path="a"))["content"]

    assert content == f"1\t{'x' * LINE_BYTES_MAX} [… 3976 more bytes in this line]\n2\tshort"


async def test_a_character_is_never_cut_in_two(desk: FileDesk) -> None:
    (desk.root / "a").write_text("ab" + "€" * 2000)

    content = (await desk.told("read_file", path="a"))["content"]
    piece = await desk.told("read_file", path="a", byte_offset=0, byte_limit=6)

    assert "\ufffd" not in content
    assert (piece["content"], piece["next_byte_offset"]) == ("ab€", 5)


async def test_reading_bytes_always_gets_on(desk: FileDesk) -> None:
    (desk.root / "a").write_text("€€")

    offset, steps = 0, 0
    while offset < 6:
        piece = await desk.told("read_file", path="a", byte_offset=offset, byte_limit=1)
        offset, steps = piece.get("next_byte_offset", 6), steps + 1

    assert steps == 6


async def test_the_end_of_a_file_of_2_gib_is_read_without_the_rest(desk: FileDesk) -> None:
    """A file of which only the end takes any place: to read all of it would be noticed."""
    end = "the last line\n"
    with (desk.root / "log").open("wb") as file:
        file.seek(2 * 1024**3)
        file.write(end.encode())

    told = await desk.told("read_file", path="log", byte_offset=-len(end))

    assert (told["content"], told["byte_offset"]) == (end, 2 * 1024**3)
    assert "next_byte_offset" not in told


@pytest.mark.parametrize(
    ("asked", "content", "following"),
    [
        ({"byte_offset": 0, "byte_limit": 3}, "012", 3),
        ({"byte_limit": 3}, "012", 3),
        ({"byte_offset": 4}, "456789", None),
        ({"byte_offset": -3}, "789", None),
        ({"byte_offset": -100, "byte_limit": 2}, "01", 2),
        ({"byte_offset": -(2**80)}, "0123456789", None),
    ],
)
async def test_any_range_of_bytes_can_be_read(
    desk: FileDesk, asked: dict[str, Json], content: str, following: int | None
) -> None:
    (desk.root / "a").write_text("0123456789")

    told = await desk.told("read_file", path="a", **asked)

    assert (told["content"], told.get("next_byte_offset")) == (content, following)


async def test_what_cannot_be_read_says_why_and_what_to_do(desk: FileDesk) -> None:
    (desk.root / "a").write_text("one\ntwo\n")
    (desk.root / "folder").mkdir()

    errors = {
        "behind the end": await desk.error("read_file", path="a", offset=3),
        "bytes behind the end": await desk.error("read_file", path="a", byte_offset=2**80),
        "a directory": await desk.error("read_file", path="folder"),
        "missing": await desk.error("read_file", path="b"),
        "outside": await desk.error("read_file", path="../outside/secret"),
        "both ranges": await desk.error("read_file", path="a", offset=1, byte_offset=1),
    }

    assert errors == {
        "behind the end": "a has 2 lines, so none begins at offset 3.",
        "bytes behind the end": f"a has 8 bytes, so none is at byte_offset {2**62}.",
        "a directory": "folder is a directory, not a file. find_files lists what is in it.",
        "missing": "There is no file b. find_files finds files by their names.",
        "outside": f"../outside/secret leads out of the workspace {desk.root}. Use a path inside of it; "
        "relative paths start there.",
        "both ranges": "Lines and bytes cannot be asked for together. Give offset and limit, or the others.",
    }


async def test_a_path_that_is_almost_right_is_corrected(desk: FileDesk) -> None:
    (desk.root / "src").mkdir()
    for name in ("README.md", "reader.py", "writer.py"):
        (desk.root / "src" / name).touch()

    assert (
        await desk.error("read_file", path="src/readme.md")
        == "There is no file src/readme.md. Do you mean src/README.md or src/reader.py?"
    )
    assert "src/reader.py" in await desk.error("read_file", path=f"{desk.root}/src/raeder.py")
    assert "find_files" in await desk.error("read_file", path="src/unlike")
    assert "find_files" in await desk.error("read_file", path="nowhere/reader.py")


async def test_a_path_is_relative_to_the_root_or_absolute_inside_of_it(desk: FileDesk) -> None:
    (desk.root / "a").write_text("one")

    assert await desk.told("read_file", path="a") == await desk.told("read_file", path=f"{desk.root}/a")


async def test_a_link_to_a_file_that_the_rules_protect_is_not_followed(desk: FileDesk) -> None:
    (desk.root / ".env").write_text("KEY=1")
    (desk.root / "link").symlink_to(".env")
    (desk.root / "folder").mkdir()
    (desk.root / "folder" / "up").symlink_to("..")
    desk.forbidden = frozenset({".env"})

    for path in ("link", f"{desk.root}/link", "folder/up/.env", "folder/../link"):
        for asked in ({}, {"byte_offset": 0}):
            words = await desk.error("read_file", path=path, **asked)
            assert words == f"{path} leads to .env, which the rules do not allow."
    desk.forbidden = frozenset()
    assert (await desk.told("read_file", path="link"))["content"] == "1\tKEY=1"


async def test_an_empty_file_has_no_lines(desk: FileDesk) -> None:
    (desk.root / "a").touch()

    assert await desk.told("read_file", path="a", offset=-5) == {
        "content": "",
        "file_size": 0,
        "lines_read": 0,
        "total_lines": 0,
    }


@pytest.mark.parametrize(
    ("data", "media_type", "words"),
    [
        (b"\x7fELF\0\1", "application/octet-stream", "not text"),
        ("text".encode("utf-16"), "text/plain; charset=utf-16", "iconv"),
        (PNG, "image/png", "cannot see"),
        (b"%PDF-1.7", "application/pdf", "cannot see"),
    ],
)
async def test_what_is_no_text_is_told_and_not_shown(
    desk: FileDesk, data: bytes, media_type: str, words: str
) -> None:
    (desk.root / "a").write_bytes(data)

    told = await desk.told("read_file", path="a")

    assert (told["media_type"], told["file_size"], "content" in told) == (media_type, len(data), False)
    assert words in told["note"]


async def test_a_binary_part_of_a_file_is_told_as_such(desk: FileDesk) -> None:
    (desk.root / "a").write_bytes(b"text\0\0more text")

    assert "content" not in await desk.told("read_file", path="a", byte_offset=2)
    assert (await desk.told("read_file", path="a", byte_offset=6))["content"] == "more text"


@proves("tools", 14)
async def test_a_picture_is_shown_whole_to_a_model_that_sees(desk: FileDesk) -> None:
    (desk.root / "a.png").write_bytes(PNG)
    desk.sees = frozenset({"image/png"})

    shown = await desk.call("read_file", path="a.png", context_limit=1000)

    assert shown.is_media
    assert shown.result == {"mime_type": "image/png", "text": f"a.png: image/png, {len(PNG)} bytes"}
    assert shown.media is not None
    assert (shown.media.name, shown.media.size_bytes) == ("a.png", len(PNG))


async def test_a_picture_has_no_lines_and_a_bound(desk: FileDesk) -> None:
    (desk.root / "a.png").write_bytes(PNG)
    (desk.root / "huge.png").write_bytes(PNG + bytes(IMAGE_BYTES_MAX))
    desk.sees = frozenset({"image/png"})

    assert "Leave out offset" in (await desk.told("read_file", path="a.png", offset=2))["note"]
    assert "larger than the 5 MiB" in (await desk.told("read_file", path="huge.png"))["note"]


async def test_a_chat_without_a_workspace_is_told_so(desk: FileDesk) -> None:
    desk.workspace = None

    assert "no workspace" in await desk.error("read_file", path="a")


def test_it_tells_what_it_reads(desk: FileDesk) -> None:
    assert desk.touches("read_file", path="a/b") == Touches(reads=("a/b",))
