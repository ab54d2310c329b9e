"""A chat's workspace is asked for again at each use: what was allowed when it was made may not be now."""

from pathlib import Path

import pytest

from chatd.workspaces.access import WorkspaceAccess
from chatd.workspaces.places import NOWHERE, Places
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable


class Opened:
    """Notes which directory would be opened, and opens none."""

    def __init__(self, places: Places, *, users: int = 1) -> None:
        self.users = users
        self.roots: list[Path] = []
        self._access = WorkspaceAccess(places, is_only_user=self._is_only_user, open_at=self._open_at)

    async def _is_only_user(self) -> bool:
        return self.users == 1

    async def _open_at(self, root: Path) -> Workspace:
        self.roots.append(root)
        return None  # type: ignore[return-value]

    async def to(self, directory: Path) -> list[Path]:
        await self._access.to(str(directory))
        return self.roots


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project" / "inner").mkdir(parents=True)
    (tmp_path / "project" / "other").mkdir()
    return tmp_path / "project"


async def test_the_root_and_what_is_in_it_can_be_used(root: Path) -> None:
    assert await Opened(Places(root)).to(root) == [root]
    assert await Opened(Places(root)).to(root / "inner") == [root / "inner"]


async def test_not_after_a_restart_without_a_workspace_or_with_another_one(root: Path) -> None:
    with pytest.raises(WorkspaceUnusable, match="without a workspace"):
        await Opened(NOWHERE).to(root)
    with pytest.raises(WorkspaceUnusable, match="not inside of the workspace"):
        await Opened(Places(root / "inner")).to(root)


async def test_not_when_there_is_a_second_user_unless_it_is_for_all(root: Path) -> None:
    with pytest.raises(WorkspaceUnusable, match="several users"):
        await Opened(Places(root), users=2).to(root)
    assert await Opened(Places(root, shared=True), users=2).to(root) == [root]


async def test_not_when_the_directory_is_gone_or_a_link_in_its_place(root: Path) -> None:
    (root / "inner").rmdir()
    with pytest.raises(WorkspaceUnusable, match="does not exist any more"):
        await Opened(Places(root)).to(root / "inner")
    (root / "inner").symlink_to("other")
    with pytest.raises(WorkspaceUnusable):
        await Opened(Places(root)).to(root / "inner")
