"""A command is stopped before it has filled a disk: that of the workspace, or that of the server."""

import shutil
from pathlib import Path

import pytest

from chatd.workspaces.local.sandbox.confine import Confinement, SandboxMode
from chatd.workspaces.local.sandbox.guard import broken_limit
from chatd.workspaces.local.sandbox.limits import Limits
from chatd.workspaces.processes import CannotStart
from tests.workspaces.local.world import a_world

MORE_THAN_ANY_DISK = Limits(disk_free_bytes_min=2**62)


def test_every_directory_that_a_command_writes_to_is_looked_at(tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    assert broken_limit(None, [tmp_path, gone], MORE_THAN_ANY_DISK) is not None
    assert broken_limit(None, [gone, tmp_path], MORE_THAN_ANY_DISK) is not None
    assert broken_limit(None, [gone], MORE_THAN_ANY_DISK) is None
    assert broken_limit(None, [tmp_path], Limits(disk_free_bytes_min=0)) is None


async def test_a_command_is_stopped_when_the_disk_is_almost_full(tmp_path: Path) -> None:
    confinement = Confinement(mode=SandboxMode.OFF, limits=MORE_THAN_ANY_DISK)
    async with a_world(tmp_path, confinement=confinement) as world:
        output = await world.run("sleep 600")

        assert "The disk has less than" in (output.process.stopped_because or "")


async def test_a_command_whose_output_has_no_room_is_not_run(tmp_path: Path) -> None:
    async with a_world(tmp_path, SandboxMode.OFF) as world:
        shutil.rmtree(tmp_path / "data" / "scratch" / "output")

        with pytest.raises(CannotStart, match="no room for its output"):
            await world.start("touch made")
        assert not (world.root / "made").exists()
