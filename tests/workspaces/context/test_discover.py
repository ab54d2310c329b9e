import shutil
from pathlib import Path

import pytest

from chatd.domain.workspace.context import (
    RESOURCE_BYTES_MAX,
    RESOURCES_MAX,
    SNAPSHOT_BYTES_MAX,
    Context,
    Resource,
    ResourceKind,
    ResourceStatus,
)
from chatd.workspaces.context.discover import discover
from chatd.workspaces.files import FileError, Files, Problem
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from tests.traceability import proves
from tests.workspaces.trees import open_directory, without_privileges


def write_skill(root: Path, name: str, *, under: str = "skills", text: str | None = None) -> Path:
    path = root / under / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text or f"---\nname: {name}\ndescription: About {name}.\n---\nDo {name}.", "utf-8")
    return path


async def found(files: Files) -> list[Resource]:
    return list((await discover(files, "here")).resources)


async def sources(files: Files) -> list[str]:
    return [each.source for each in await found(files)]


async def test_a_workspace_that_tells_nothing(files: Files) -> None:
    assert await discover(files, "here") == Context(workspace="here")


async def test_instruction_files_are_found_at_the_root(files: Files, root: Path) -> None:
    (root / "CLAUDE.md").write_text("Be brief.")
    (root / "AGENTS.md").write_text("Use make.")
    (root / ".cursorrules").write_text("No tabs.")

    assert await found(files) == [
        Resource(kind=ResourceKind.INSTRUCTION_FILE, source="AGENTS.md", size_bytes=9, text="Use make."),
        Resource(kind=ResourceKind.INSTRUCTION_FILE, source="CLAUDE.md", size_bytes=9, text="Be brief."),
        Resource(kind=ResourceKind.INSTRUCTION_FILE, source=".cursorrules", size_bytes=8, text="No tabs."),
    ]


@proves("workspaces", 25)
async def test_another_spelling_and_another_directory_do_not_count(files: Files, root: Path) -> None:
    (root / "inside").mkdir()
    (root / "inside" / "AGENTS.md").write_text("x")
    (root / "agents.md").write_text("x")
    (root / "Agents.md").write_text("x")

    assert await found(files) == []


async def test_a_file_that_is_too_large_is_told_and_not_read(files: Files, root: Path) -> None:
    (root / "AGENTS.md").write_text("x" * (RESOURCE_BYTES_MAX + 1))
    (root / "CLAUDE.md").write_text("x" * RESOURCE_BYTES_MAX)

    large, fits = await found(files)

    assert (large.status, large.size_bytes, large.text) == (
        ResourceStatus.OVERSIZE,
        RESOURCE_BYTES_MAX + 1,
        "",
    )
    assert large.error == "It has more than 64 KiB."
    assert fits.is_ok


@proves("workspaces", 27)
async def test_a_link_out_of_the_workspace_is_excluded(files: Files, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside" / "AGENTS.md").write_text("secret")
    (root / "AGENTS.md").symlink_to("../outside/AGENTS.md")
    write_skill(tmp_path, "away", under="outside/skills")
    (root / "skills").mkdir()
    (root / "skills" / "away").symlink_to(tmp_path / "outside" / "skills" / "away")

    instructions, skill = await found(files)

    assert instructions.status is skill.status is ResourceStatus.EXCLUDED
    assert instructions.text == skill.text == ""
    assert "leads out of the workspace" in instructions.error


async def test_one_file_by_two_names_is_told_once(files: Files, root: Path) -> None:
    (root / "AGENTS.md").write_text("Use make.")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    write_skill(root, "deploy", under=".agents/skills")
    (root / ".claude").mkdir()
    (root / ".claude" / "skills").symlink_to("../.agents/skills")

    assert await sources(files) == ["AGENTS.md", ".agents/skills/deploy/SKILL.md"]


async def test_what_cannot_be_read_says_why(files: Files, root: Path) -> None:
    (root / "AGENTS.md").mkdir()
    (root / "CLAUDE.md").write_bytes(b"\xe9t\xe9")

    assert [(each.source, each.status, each.error) for each in await found(files)] == [
        ("AGENTS.md", ResourceStatus.UNREADABLE, "AGENTS.md is a directory, not a file."),
        ("CLAUDE.md", ResourceStatus.INVALID, "It is not UTF-8 text."),
    ]


async def test_a_file_without_permission_is_unreadable() -> None:
    with open_directory() as root, without_privileges():
        (root / "AGENTS.md").write_text("x")
        (root / "AGENTS.md").chmod(0)

        (only,) = await found(LocalFiles(root, Threads(inline=True)))

    assert (only.status, only.error) == (ResourceStatus.UNREADABLE, "AGENTS.md: permission denied.")


async def test_what_people_cannot_see_is_removed(files: Files, root: Path) -> None:
    (root / "AGENTS.md").write_bytes("\ufeffUse\u200b make\u202e.\r\nNot\U000e0041 npm.".encode())

    (only,) = await found(files)

    assert only.text == "Use make.\nNot npm."


async def test_the_declaration_of_mcp_servers_is_noted_without_its_text(files: Files, root: Path) -> None:
    (root / ".mcp.json").write_text('{"key": "secret"}')

    assert await found(files) == [
        Resource(kind=ResourceKind.MCP_CONFIG, source=".mcp.json", size_bytes=17),
    ]


class TestSkills:
    async def test_a_skill_is_known_by_its_name_and_description(self, files: Files, root: Path) -> None:
        path = write_skill(root, "deploy")

        assert await found(files) == [
            Resource(
                kind=ResourceKind.SKILL,
                source="skills/deploy/SKILL.md",
                size_bytes=path.stat().st_size,
                skill_name="deploy",
                skill_description="About deploy.",
                text="Do deploy.",
            )
        ]

    async def test_they_are_found_in_four_places(self, files: Files, root: Path) -> None:
        for name, under in zip("dcba", (".codex", ".claude", ".agents", "."), strict=True):
            write_skill(root, name, under=f"{under}/skills")
        (root / "skills" / "no-skill").mkdir()
        (root / "skills" / "README.md").write_text("x")

        assert await sources(files) == [
            "skills/a/SKILL.md",
            ".agents/skills/b/SKILL.md",
            ".claude/skills/c/SKILL.md",
            ".codex/skills/d/SKILL.md",
        ]

    async def test_another_name_than_that_of_the_directory_is_invalid(self, files: Files, root: Path) -> None:
        write_skill(root, "deploy").rename(root / "moved.md")
        write_skill(root, "ship", text=(root / "moved.md").read_text())

        (only,) = await found(files)

        assert (only.status, only.skill_name, only.text) == (ResourceStatus.INVALID, "ship", "")
        assert only.error == (
            "Its name is 'deploy', and its directory has another one. Both must be the same."
        )

    async def test_a_text_that_is_no_skill_is_invalid_with_the_reason(self, files: Files, root: Path) -> None:
        write_skill(root, "deploy", text="Just words.")

        (only,) = await found(files)

        assert (only.status, only.error) == (
            ResourceStatus.INVALID,
            "It does not begin with a line `---`.",
        )

    async def test_of_two_with_one_name_the_first_counts(self, files: Files, root: Path) -> None:
        write_skill(root, "deploy", under=".claude/skills")
        write_skill(root, "deploy")

        first, second = await found(files)

        assert (first.is_ok, first.source) == (True, "skills/deploy/SKILL.md")
        assert (second.status, second.error) == (
            ResourceStatus.EXCLUDED,
            "skills/deploy/SKILL.md has the same name, and comes first.",
        )


class TestBounds:
    @proves("workspaces", 28)
    async def test_at_most_so_many_are_kept(self, files: Files, root: Path) -> None:
        (root / "AGENTS.md").write_text("Use make.")
        for number in range(600):
            write_skill(root, f"skill-{number:03}")

        context = await discover(files, "here")

        assert (len(context.resources), context.truncated) == (RESOURCES_MAX, True)
        assert context.resources[0].source == "AGENTS.md"
        assert context.resources[-1].skill_name == "skill-498"

    async def test_exactly_as_many_as_fit_is_not_too_many(self, files: Files, root: Path) -> None:
        for number in range(RESOURCES_MAX):
            write_skill(root, f"skill-{number:03}")
        (root / "skills" / "zzz").mkdir()

        context = await discover(files, "here")

        assert (len(context.resources), context.truncated) == (RESOURCES_MAX, False)

    async def test_all_texts_together_have_a_bound(self, files: Files, root: Path) -> None:
        body = "x" * 60_000
        for number in range(40):
            name = f"skill-{number:02}"
            write_skill(root, name, text=f"---\nname: {name}\ndescription: d\n---\n{body}")

        resources = await found(files)

        assert sum(len(each.text) for each in resources) <= SNAPSHOT_BYTES_MAX
        assert [each.status for each in resources] == [ResourceStatus.OK] * 34 + [ResourceStatus.EXCLUDED] * 6
        assert resources[-1].error == "All that was found before it has 2 MiB, and there can be no more."


class TestHash:
    async def test_it_tells_whether_a_model_would_be_told_something_else(
        self, files: Files, root: Path
    ) -> None:
        (root / "AGENTS.md").write_text("Use make.")
        skill = write_skill(root, "deploy")
        before = (await discover(files, "here")).hash

        assert (await discover(files, "there")).hash == before
        skill.write_text(skill.read_text() + " Twice.")
        assert (await discover(files, "here")).hash != before

    @proves("workspaces", 31)
    async def test_the_declaration_of_mcp_servers_does_not_count(self, files: Files, root: Path) -> None:
        before = (await discover(files, "here")).hash
        (root / ".mcp.json").write_text("{}")

        assert (await discover(files, "here")).hash == before


async def test_a_workspace_that_is_away_tells_so(files: Files, root: Path) -> None:
    """It must not be taken for one that tells nothing."""
    shutil.rmtree(root)

    with pytest.raises(FileError) as error:
        await discover(files, "here")
    assert error.value.problem is Problem.UNAVAILABLE
