import io
import os
import zipfile

import pytest

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.tools.calls.attachable import ATTACHMENT_BYTES_MAX
from chatd.tools.calls.call import Ran, run_call
from chatd.tools.files.attach_file import Args, attach_file
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from tests.tools.files.desk import FileDesk
from tests.traceability import proves


async def attached(desk: FileDesk, **args: Json) -> Ran:
    setting = Setting(
        chat_id=ChatId("chat"), call_id=CallId("c1"), show=lambda _: None, workspace=desk.workspace
    )
    return await run_call(Toolbox([attach_file]), "attach_file", args, setting)


async def refusal(desk: FileDesk, **args: Json) -> str:
    ran = await attached(desk, **args)
    assert ran.result.is_error
    assert ran.attachments == ()
    return str(ran.result.result["error"])


def zipped(size: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("random", os.urandom(size))
    return buffer.getvalue()


@proves("tools", 45)
async def test_a_zip_is_handed_over_with_its_name_its_type_and_every_byte(desk: FileDesk) -> None:
    data = zipped(1024 * 1024)
    (desk.root / "out").mkdir()
    (desk.root / "out/build.zip").write_bytes(data)

    ran = await attached(desk, path="out/build.zip")

    (file,) = ran.attachments
    assert (file.name, file.media_type, file.data) == ("build.zip", "application/zip", data)
    assert ran.result.result == {
        "ok": True,
        "path": "out/build.zip",
        "file_id": file.id,
        "name": "build.zip",
        "media_type": "application/zip",
        "size": len(data),
    }


@proves("tools", 45)
async def test_an_empty_file_and_one_that_is_too_large_are_refused(desk: FileDesk) -> None:
    (desk.root / "empty").touch()
    with (desk.root / "large").open("wb") as large:
        large.truncate(11 * 1024 * 1024)
    with (desk.root / "just right").open("wb") as most:
        most.truncate(ATTACHMENT_BYTES_MAX)

    assert await refusal(desk, path="empty") == "Nothing was attached: empty is empty."
    words = await refusal(desk, path="large")
    assert "large has 11,534,336 bytes, and at most 10,485,760 can be attached" in words
    assert len((await attached(desk, path="just right")).attachments[0].data) == ATTACHMENT_BYTES_MAX


@pytest.mark.parametrize(
    ("path", "given", "name", "media_type"),
    [
        ("notes.md", None, "notes.md", "text/markdown"),
        ("notes.md", "plan.txt", "plan.txt", "text/plain"),
        ("notes.md", "../../etc/passwd", "passwd", "text/plain"),
        ("notes.md", "C:\\temp\\a.csv", "a.csv", "text/csv"),
        ("notes.md", "", "notes.md", "text/markdown"),
        ("page.html", None, "page.html", "text/plain"),
    ],
)
async def test_a_file_is_called_as_it_is_called_there_unless_it_is_given_a_name(
    desk: FileDesk, path: str, given: str | None, name: str, media_type: str
) -> None:
    (desk.root / path).write_text("<b>hello</b>")

    (file,) = (await attached(desk, path=path, name=given)).attachments

    assert (file.name, file.media_type) == (name, media_type)


async def test_a_name_that_cannot_be_shown_is_refused(desk: FileDesk) -> None:
    (desk.root / "a").write_text("x")

    assert "visible characters" in await refusal(desk, path="a", name="a\x1b[2Jb")
    assert "visible characters" in await refusal(desk, path="a", name="x" * 256)


async def test_what_is_missing_or_lies_outside_is_refused(desk: FileDesk) -> None:
    desk.outside.mkdir(exist_ok=True)
    (desk.outside / "secret").write_text("no")
    (desk.root / "link").symlink_to(desk.outside / "secret")

    assert "no file missing" in await refusal(desk, path="missing")
    for path in ("link", "../outside/secret", str(desk.outside / "secret"), "/etc/passwd"):
        assert "Use a path inside of it" in await refusal(desk, path=path)


async def test_without_a_workspace_the_model_is_told(desk: FileDesk) -> None:
    desk.workspace = None

    assert "no workspace" in await refusal(desk, path="a")


def test_it_reads_and_leaves_no_trace_of_its_own() -> None:
    assert attach_file.effect is Effect.READ
    assert attach_file.touches is not None
    assert attach_file.touches(Args(path="a")) == Touches(reads=("a",))
