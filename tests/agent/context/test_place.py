"""What a model is told of the workspace of its chat."""

from pathlib import Path

from chatd.agent.context.place import describe_place, words_of
from chatd.workspaces.access import WorkspaceAccess
from chatd.workspaces.places import Places
from chatd.workspaces.protection import Level, Protection
from chatd.workspaces.workspace import Workspace

SANDBOX = Protection(level=Level.SANDBOX, network=False, why="for administrators")


async def only_user() -> bool:
    return True


async def open_nothing(_: Path) -> Workspace:
    raise AssertionError("a prompt opens no workspace")


def test_it_is_told_the_directory_the_system_what_confines_commands_and_whether_there_is_a_network() -> None:
    told = words_of("/project", "Linux", SANDBOX)

    assert "the directory /project on a machine with Linux" in told
    assert "cannot reach the network" in told
    assert "for administrators" not in told
    assert "can reach the network" in words_of(
        "/project", "Linux", Protection(level=Level.SANDBOX, network=True)
    )
    assert "No command runs" in words_of("/project", "Linux", Protection(level=Level.CLOSED, network=False))


async def test_a_chat_without_a_workspace_is_told_nothing_and_one_that_may_not_use_its_own_is_told_why(
    tmp_path: Path,
) -> None:
    (tmp_path / "project").mkdir()
    access = WorkspaceAccess(Places(tmp_path / "project"), is_only_user=only_user, open_at=open_nothing)

    assert await describe_place(access, SANDBOX, None) == ""
    assert str(tmp_path / "project") in await describe_place(access, SANDBOX, str(tmp_path / "project"))
    told = await describe_place(access, SANDBOX, str(tmp_path / "gone"))
    assert told.startswith("You cannot use your workspace now.")
    assert "Commands run" not in told
