"""read_skill: what is pinned, what is live, what is refused; and which chats have the tools for skills."""

import shutil
from pathlib import Path

from chatd.tools.skills import skill_tools
from tests.tools.skills.desk import MINE, Asking, library
from tests.traceability import proves


def test_without_skills_there_are_no_tools() -> None:
    assert skill_tools(library()) == ()


@proves("tools", 69)
def test_with_personal_skills_alone_there_are_no_files_to_read() -> None:
    assert [tool.name for tool in skill_tools(library(personal=(MINE,)))] == ["read_skill"]


def test_with_skills_of_a_workspace_there_are_both() -> None:
    assert [tool.name for tool in skill_tools(library("deploy"))] == ["read_skill", "read_skill_file"]


async def test_the_instructions_are_those_that_are_pinned_and_the_files_those_of_now(ask: Asking) -> None:
    assert await ask.result("read_skill", name="deploy") == {
        "name": "deploy",
        "dir": "skills/deploy",
        "body": "Do workspace/deploy.",
        "files": ["hosts.md"],
    }


async def test_a_personal_skill_has_no_files(ask: Asking) -> None:
    assert await ask.result("read_skill", name="review") == {
        "name": "review",
        "body": "Do personal/review.",
        "files": [],
    }


@proves("tools", 71)
async def test_while_the_workspace_is_away_the_instructions_can_be_read(ask: Asking, root: Path) -> None:
    shutil.rmtree(root)
    gone = await ask.result("read_skill", name="deploy")
    ask.workspace = None
    closed = await ask.result("read_skill", name="deploy")

    assert (gone["body"], gone["files"]) == (closed["body"], closed["files"]) == ("Do workspace/deploy.", [])


async def test_an_unknown_name_is_answered_with_those_that_there_are(ask: Asking) -> None:
    assert await ask.error("read_skill", name="ship") == (
        "There is no skill ship. There are: deploy, gone, review."
    )


async def test_many_skills_are_not_all_named(root: Path) -> None:
    ask = Asking(library(*(f"s{n}" for n in range(30))), root)
    assert (await ask.error("read_skill", name="x")).endswith(", s18, s19 and 10 more.")


async def test_a_name_that_may_mean_two_is_answered_with_both(root: Path) -> None:
    ask = Asking(library("review", personal=(MINE,)), root)

    assert await ask.error("read_skill", name="review") == (
        "review is ambiguous. Say which: workspace/review or personal/review."
    )
    assert (await ask.result("read_skill", name="personal/review"))["body"] == "Do personal/review."


async def test_a_skill_that_was_removed_meanwhile_is_told_so(ask: Asking) -> None:
    assert "is not there any more" in await ask.error("read_skill", name="gone")


async def test_files_are_listed_within_bounds_without_links_and_what_is_hidden(
    ask: Asking, root: Path
) -> None:
    directory = root / "skills" / "deploy"
    (directory / ".git").mkdir()
    (directory / ".git" / "config").write_text("x")
    (directory / "loop").symlink_to(".")
    (directory / "scripts" / "a" / "b" / "c" / "d").mkdir(parents=True)
    (directory / "scripts" / "run.sh").write_text("x")
    (directory / "scripts" / "a" / "b" / "deep.md").write_text("x")
    (directory / "scripts" / "a" / "b" / "c" / "d" / "deeper.md").write_text("x")
    assert (await ask.result("read_skill", name="deploy"))["files"] == [
        "hosts.md",
        "scripts/run.sh",
        "scripts/a/b/deep.md",
    ]

    for number in range(300):
        (directory / f"{number:03}.md").write_text("x")
    assert len((await ask.result("read_skill", name="deploy"))["files"]) == 200
