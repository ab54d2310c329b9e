from pathlib import Path

import pytest
from msgspec.structs import replace

from chatd.errors import Misconfigured
from chatd.workspaces.local.sandbox.confine import (
    Confinement,
    SandboxMode,
    check_paths,
    find_enclosure,
    mode_for,
)
from chatd.workspaces.protection import Level
from tests.workspaces.local.world import enclosure_for


async def test_a_sandbox_that_works_is_found_and_named() -> None:
    found = await enclosure_for(Confinement())

    assert found.protection.level is Level.SANDBOX
    assert not found.protection.network
    assert "1024 processes of a command" in found.protection.limits


async def test_without_a_sandbox_no_command_runs_unless_the_administrator_says_so() -> None:
    required = await find_enclosure(Confinement(), "no-such-bwrap")
    allowed = await find_enclosure(Confinement(mode=SandboxMode.AUTO), "no-such-bwrap")

    assert required.protection.level is Level.CLOSED
    assert allowed.protection.level is Level.LIMITS
    assert allowed.protection.network
    for found in (required, allowed):
        assert "`no-such-bwrap` is not installed" in found.protection.why
        assert "Install bubblewrap" in found.protection.why
    assert "CHATD_SANDBOX=off runs them" in required.protection.why
    assert "a person is asked for each command" in allowed.protection.why
    assert "CHATD_SANDBOX=off" not in allowed.protection.why


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo setting up uid map: Permission denied; exit 1", "uid map: Permission denied"),
        # It runs the command, and does not confine it.
        ('while [ "$1" != -- ]; do shift; done; shift; exec "$@"', "It ended with"),
        ("exit 3", "It ended with 3"),
    ],
)
async def test_a_sandbox_that_does_not_confine_is_none(tmp_path: Path, script: str, why: str) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)

    found = await find_enclosure(Confinement(), str(program))

    assert found.protection.level is Level.CLOSED
    assert why in found.protection.why


async def test_a_sandbox_that_is_turned_off_is_not_looked_for() -> None:
    found = await find_enclosure(Confinement(mode=SandboxMode.OFF))

    assert (found.protection.level, found.sandbox) == (Level.LIMITS, ())
    assert "CHATD_SANDBOX=off" in found.protection.why


@pytest.mark.parametrize("how", ["readable", "writable"])
def test_what_is_shown_to_commands_must_exist_and_must_not_belong_to_the_server(
    tmp_path: Path, how: str
) -> None:
    (tmp_path / "data" / "inner").mkdir(parents=True)
    (tmp_path / "tools").mkdir()

    def showing(path: Path) -> Confinement:
        return replace(Confinement(hidden=(tmp_path / "data",)), **{how: (path,)})

    check_paths(showing(tmp_path / "tools"))
    for path, why in (
        (tmp_path / "missing", "does not exist"),
        (Path("tools"), "not absolute"),
        (tmp_path / "data" / "inner", "keeps its keys"),
        (tmp_path / "tools" / ".." / "data", "keeps its keys"),
    ):
        with pytest.raises(Misconfigured, match=why):
            check_paths(showing(path))


def test_by_default_a_sandbox_is_needed_where_no_person_is_asked_or_several_share_the_workspace() -> None:
    auto = SandboxMode.AUTO

    assert mode_for(auto, asks=True, shared=False) is auto
    assert mode_for(auto, asks=False, shared=False) is SandboxMode.REQUIRE
    assert mode_for(auto, asks=True, shared=True) is SandboxMode.REQUIRE
    assert mode_for(SandboxMode.OFF, asks=False, shared=True) is SandboxMode.OFF


async def test_what_commands_can_change_beside_the_workspace_is_told(tmp_path: Path) -> None:
    alone = await enclosure_for(Confinement())
    more = await enclosure_for(Confinement(writable=(tmp_path,), network=True))

    assert "they can change the workspace, a home and a /tmp of their own, nothing else" in (
        alone.protection.in_words()
    )
    assert f"the workspace, {tmp_path}, a home" in more.protection.in_words()
    assert "and can reach the network" in more.protection.in_words()
