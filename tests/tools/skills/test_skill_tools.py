"""read_skill and read_skill_file: what is pinned, what is live, and what is refused."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId
from chatd.domain.skill_list import ListedSkill, PersonalSkill, list_skills
from chatd.tools.call import run_call
from chatd.tools.skills import skill_tools
from chatd.tools.skills.library import Library
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.workspace import Workspace
from tests.traceability import proves
from tests.words import a_skill
from tests.workspaces.files_only import FilesOnly

MINE = PersonalSkill(name="review", description="My way.")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "root" / "skills" / "deploy"
    directory.mkdir(parents=True)
    (directory / "SKILL.md").write_text("Something else than what is pinned.")
    (directory / "hosts.md").write_text("One and two.")
    return tmp_path / "root"


async def body_of(skill: ListedSkill) -> str | None:
    return None if skill.name == "gone" else f"Do {skill.qualified}."


def library(*workspace: str, personal: tuple[PersonalSkill, ...] = ()) -> Library:
    return Library(skills=list_skills(map(a_skill, workspace), personal), read_body=body_of)


class Asking:
    def __init__(self, known: Library, root: Path | None) -> None:
        self.toolbox = Toolbox(skill_tools(known))
        self.workspace: Workspace | None = FilesOnly(root) if root is not None else None

    async def __call__(self, tool: str, **args: object) -> CallResult:
        setting = Setting(
            chat_id=ChatId("chat"), call_id=CallId("call"), show=lambda _: None, workspace=self.workspace
        )
        return (await run_call(self.toolbox, tool, args, setting)).result

    async def result(self, tool: str, **args: object) -> Any:
        answer = await self(tool, **args)
        assert not answer.is_error, answer
        return answer.result

    async def error(self, tool: str, **args: object) -> str:
        answer = await self(tool, **args)
        assert answer.is_error, answer
        assert isinstance(answer.result, dict)
        return str(answer.result["error"])


@pytest.fixture
def ask(root: Path) -> Asking:
    return Asking(library("deploy", "gone", personal=(MINE,)), root)


class TestOffer:
    def test_without_skills_there_are_no_tools(self) -> None:
        assert skill_tools(library()) == ()

    @proves("tools", 69)
    def test_with_personal_skills_alone_there_are_no_files_to_read(self) -> None:
        assert [tool.name for tool in skill_tools(library(personal=(MINE,)))] == ["read_skill"]

    def test_with_skills_of_a_workspace_there_are_both(self) -> None:
        assert [tool.name for tool in skill_tools(library("deploy"))] == ["read_skill", "read_skill_file"]


class TestReadSkill:
    async def test_the_instructions_are_those_that_are_pinned_and_the_files_those_of_now(
        self, ask: Asking
    ) -> None:
        assert await ask.result("read_skill", name="deploy") == {
            "name": "deploy",
            "dir": "skills/deploy",
            "body": "Do workspace/deploy.",
            "files": ["hosts.md"],
        }

    async def test_a_personal_skill_has_no_files(self, ask: Asking) -> None:
        assert await ask.result("read_skill", name="review") == {
            "name": "review",
            "body": "Do personal/review.",
            "files": [],
        }

    @proves("tools", 71)
    async def test_while_the_workspace_is_away_the_instructions_can_be_read(
        self, ask: Asking, root: Path
    ) -> None:
        shutil.rmtree(root)
        gone = await ask.result("read_skill", name="deploy")
        ask.workspace = None
        closed = await ask.result("read_skill", name="deploy")

        assert (
            (gone["body"], gone["files"]) == (closed["body"], closed["files"]) == ("Do workspace/deploy.", [])
        )

    async def test_an_unknown_name_is_answered_with_those_that_there_are(self, ask: Asking) -> None:
        assert await ask.error("read_skill", name="ship") == (
            "There is no skill ship. There are: deploy, gone, review."
        )

    async def test_many_skills_are_not_all_named(self, root: Path) -> None:
        ask = Asking(library(*(f"s{n}" for n in range(30))), root)
        assert (await ask.error("read_skill", name="x")).endswith(", s18, s19 and 10 more.")

    async def test_a_name_that_may_mean_two_is_answered_with_both(self, root: Path) -> None:
        ask = Asking(library("review", personal=(MINE,)), root)

        assert await ask.error("read_skill", name="review") == (
            "review is ambiguous. Say which: workspace/review or personal/review."
        )
        assert (await ask.result("read_skill", name="personal/review"))["body"] == "Do personal/review."

    async def test_a_skill_that_was_removed_meanwhile_is_told_so(self, ask: Asking) -> None:
        assert "is not there any more" in await ask.error("read_skill", name="gone")

    async def test_files_are_listed_within_bounds_without_links_and_what_is_hidden(
        self, ask: Asking, root: Path
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


class TestReadSkillFile:
    async def test_a_file_of_a_skill_is_read(self, ask: Asking) -> None:
        assert await ask.result("read_skill_file", name="deploy", path="hosts.md") == {
            "content": "One and two."
        }

    async def test_a_long_file_is_cut(self, ask: Asking, root: Path) -> None:
        (root / "skills" / "deploy" / "long.md").write_text("é" * 300_000, "utf-8")

        setting = Setting(
            chat_id=ChatId("chat"), call_id=CallId("call"), show=lambda _: None, workspace=ask.workspace
        )
        tool = ask.toolbox.find("read_skill_file")
        assert tool is not None
        args = tool.arguments.check({"name": "deploy", "path": "long.md"})
        told = await tool.run(args, setting)

        assert told["content"] == "é" * 262_144
        assert told["note"] == "These are the first 524288 of 600000 bytes."

    async def test_a_personal_skill_has_none(self, ask: Asking) -> None:
        assert "has no files" in await ask.error("read_skill_file", name="review", path="x")

    async def test_what_is_no_text_is_told_so(self, ask: Asking, root: Path) -> None:
        (root / "skills" / "deploy" / "logo.png").write_bytes(b"\x89PNG\xff")
        assert await ask.error("read_skill_file", name="deploy", path="logo.png") == "logo.png is not text."

    async def test_a_missing_file_is_told_so(self, ask: Asking) -> None:
        assert "There is no file" in await ask.error("read_skill_file", name="deploy", path="none.md")

    @proves("tools", 70)
    @pytest.mark.parametrize(
        "path", ["../x", "a/../../x", "/etc/passwd", ".hidden/x", "a/.env", ".", "", "/", "a\0b"]
    )
    async def test_a_path_that_leads_out_is_refused_before_the_workspace_is_asked(
        self, ask: Asking, path: str
    ) -> None:
        ask.workspace = None

        assert (await ask.error("read_skill_file", name="deploy", path=path)).startswith("The path must ")

    async def test_what_it_would_read_is_told_to_the_rules_for_approvals(self, ask: Asking) -> None:
        tool = ask.toolbox.find("read_skill_file")
        assert tool is not None
        assert tool.touches is not None
        args = tool.arguments.check({"name": "deploy", "path": "hosts.md"})

        assert tool.touches(args).reads == ("skills/deploy/hosts.md",)
