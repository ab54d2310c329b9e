"""What an agent may propose as its plan, and what it is told of one that cannot be proposed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatd.domain.approvals.asked import ProposedPlan
from chatd.domain.ids import ChatId
from chatd.domain.workspace.plan_file import PLAN_BYTES_MAX, is_plan_path, plan_path
from chatd.tools.arguments import fitting
from chatd.tools.asking.propose_plan import propose_plan
from chatd.tools.tool import Asking, ToolError
from chatd.workspaces.files import Files
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from tests.traceability import proves

CHAT = ChatId("0198-abc")
OWN = plan_path(CHAT)


class Desk:
    def __init__(self, root: Path | None, files: Files | None) -> None:
        self.root, self._files = root, files
        self.last: ProposedPlan | None = None

    async def propose(self, **args: Any) -> Any:
        async def files() -> Files | None:
            return self._files

        async def last_plan() -> ProposedPlan | None:
            return self.last

        assert propose_plan.ask is not None
        fits = fitting("propose_plan", propose_plan.arguments, args)
        return await propose_plan.ask(fits, Asking(chat_id=CHAT, files=files, last_plan=last_plan))

    def write(self, data: bytes) -> None:
        assert self.root is not None
        file = self.root / OWN
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    root = tmp_path.resolve()
    return Desk(root, LocalFiles(root, Threads(inline=True)))


@pytest.mark.parametrize(
    ("path", "is_own"),
    [
        (OWN, True),
        (f"./{OWN}", True),
        (f"src/../{OWN}", True),
        (f"/srv/project/{OWN}", True),
        ("plan.md", False),
        (f"/{OWN}", False),
        (f"../{OWN}", False),
        (OWN.upper(), False),
        (f"{OWN}/x", False),
    ],
)
def test_the_plan_of_a_chat_has_one_path(path: str, is_own: bool) -> None:  # noqa: FBT001
    assert is_plan_path(path, CHAT, "/srv/project") is is_own


async def test_a_plan_is_given_as_text_also_without_a_workspace() -> None:
    assert await Desk(None, None).propose(plan="# Plan\n") == ProposedPlan(version=1, text="# Plan\n")


@pytest.mark.parametrize("args", [{}, {"path": OWN}])
async def test_a_plan_is_what_is_in_its_file(desk: Desk, args: dict[str, str]) -> None:
    desk.write("# Träume\n".encode())

    assert (await desk.propose(**args)).text == "# Träume\n"


async def test_the_next_version_has_the_diff_to_the_one_before(desk: Desk) -> None:
    desk.last = ProposedPlan(version=4, text="one\ntwo\n")

    plan = await desk.propose(plan="one\nthree\n")

    assert plan.version == 5
    assert "-two\n+three\n" in plan.diff


@proves("tools", 50)
@pytest.mark.parametrize(
    ("content", "args", "why"),
    [
        (b"", {}, "empty"),
        (b" \n", {}, "empty"),
        (b"x" * (40 * 1024), {}, "40,960 bytes"),
        (b"\xff\xfe", {}, "UTF-8"),
        (b"# Plan", {"path": "plan.txt"}, "is not the plan of this chat"),
        (b"# Plan", {"path": "../plan.md"}, OWN),
        (b"# Plan", {"plan": "# A", "path": OWN}, "not both"),
        (b"# Plan", {"plan": "x" * (PLAN_BYTES_MAX + 1)}, "Make it shorter"),
        (None, {}, f"Write the plan to {OWN}"),
    ],
)
async def test_a_plan_that_cannot_be_proposed_is_refused_with_the_reason(
    desk: Desk, content: bytes | None, args: dict[str, str], why: str
) -> None:
    if content is not None:
        desk.write(content)

    with pytest.raises(ToolError) as refused:
        await desk.propose(**args)

    assert why in str(refused.value)


def _link_file(root: Path) -> None:
    (root / OWN).parent.mkdir(parents=True)
    (root / OWN).symlink_to(root / "secret.md")


def _link_folder(root: Path) -> None:
    (root / "elsewhere" / "plans").mkdir(parents=True)
    (root / "elsewhere" / "plans" / Path(OWN).name).write_text("# Plan")
    (root / ".chatd").symlink_to(root / "elsewhere")


@pytest.mark.parametrize("link", [_link_file, _link_folder])
async def test_a_plan_file_that_is_a_link_is_not_read(desk: Desk, link: Callable[[Path], None]) -> None:
    assert desk.root is not None
    (desk.root / "secret.md").write_text("secret")
    link(desk.root)

    with pytest.raises(ToolError, match="leads to another file"):
        await desk.propose()


async def test_without_a_workspace_there_is_no_plan_file() -> None:
    with pytest.raises(ToolError, match="Give the whole plan"):
        await Desk(None, None).propose()
