from pathlib import Path

import pytest

from chatd.workspaces.context.nearest import Nested, Seen, nearest_instructions
from chatd.workspaces.files import FileError, Files


@pytest.fixture
def project(root: Path) -> Path:
    (root / "web" / "src" / "parts").mkdir(parents=True)
    (root / "web" / "src" / "parts" / "list.ts").write_text("x")
    (root / "AGENTS.md").write_text("root")
    (root / "README.md").write_text("x")
    return root


async def nearest(files: Files, path: str) -> Nested | None:
    return await nearest_instructions(files, path, {})


async def test_the_nearest_one_above_a_file_is_found(files: Files, project: Path) -> None:
    (project / "web" / "AGENTS.md").write_text("web")
    assert await nearest(files, "web/src/parts/list.ts") == Nested(
        source="web/AGENTS.md", real="web/AGENTS.md", text="web"
    )

    (project / "web" / "src" / "CLAUDE.md").write_text("src")
    assert await nearest(files, "web/src/parts/list.ts") == Nested(
        source="web/src/CLAUDE.md", real="web/src/CLAUDE.md", text="src"
    )


async def test_those_at_the_root_are_told_already(files: Files, project: Path) -> None:
    assert await nearest(files, "web/src/parts/list.ts") is None
    assert await nearest(files, "README.md") is None
    assert await nearest(files, ".") is None


async def test_it_does_not_matter_how_the_path_is_written(files: Files, project: Path) -> None:
    (project / "web" / "AGENTS.md").write_text("web")
    (project / "short").symlink_to("web/src/parts")
    told = Nested(source="web/AGENTS.md", real="web/AGENTS.md", text="web")

    for path in ("./web//src/x.ts", f"{project}/web/src/x.ts", "short/list.ts", "web/src/../src/new.ts"):
        assert await nearest(files, path) == told


async def test_one_that_cannot_be_read_is_passed_over(files: Files, project: Path, tmp_path: Path) -> None:
    (tmp_path / "outside" / "AGENTS.md").write_text("secret")
    (project / "web" / "AGENTS.md").write_text("web")
    (project / "web" / "src" / "AGENTS.md").symlink_to(tmp_path / "outside" / "AGENTS.md")
    (project / "web" / "src" / "parts" / "AGENTS.md").write_text("x" * 70_000)

    assert await nearest(files, "web/src/parts/list.ts") == Nested(
        source="web/AGENTS.md", real="web/AGENTS.md", text="web"
    )


async def test_a_directory_is_looked_at_once(files: Files, project: Path) -> None:
    seen: Seen = {}
    assert await nearest_instructions(files, "web/src/a.ts", seen) is None
    (project / "web" / "AGENTS.md").write_text("web")

    assert await nearest_instructions(files, "web/src/b.ts", seen) is None
    assert await nearest_instructions(files, "web/src/b.ts", {}) is not None


async def test_a_path_that_leads_out_is_refused(files: Files, project: Path) -> None:
    with pytest.raises(FileError):
        await nearest(files, "../outside/x")
