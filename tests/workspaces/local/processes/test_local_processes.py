"""What every workspace promises of its processes, tried on real ones, in a sandbox and without one."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatd.workspaces.local.processes.local_processes import (
    FINISHED_MAX,
    FINISHED_SECONDS_MAX,
    RUNNING_IN_CHAT_MAX,
    local_processes,
)
from chatd.workspaces.local.processes.spool import SPOOL_BYTES_MAX
from chatd.workspaces.local.sandbox.command import COMMAND_BYTES_MAX
from chatd.workspaces.local.sandbox.confine import Confinement, SandboxMode, find_enclosure
from chatd.workspaces.processes import (
    OUTPUT_BYTES_MAX,
    CannotStart,
    Look,
    NoInput,
    NotRunning,
    Signal,
    Start,
    UnknownProcess,
    Until,
)
from tests.clock import MovedClock
from tests.traceability import proves
from tests.workspaces.local.world import CHAT, OTHER, World, a_world

MIB = 1024 * 1024


@pytest.fixture(params=[SandboxMode.REQUIRE, SandboxMode.OFF], ids=["sandbox", "limits"])
async def timed(request: pytest.FixtureRequest, tmp_path: Path, clock: MovedClock) -> AsyncIterator[World]:
    """As `world`, by a clock that stands still."""
    async with a_world(tmp_path, request.param, clock=clock) as made:
        yield made


async def test_a_command_runs_in_the_root_and_says_what_it_printed_and_how_it_ended(world: World) -> None:
    output = await world.run("pwd; echo problem >&2; exit 3")

    assert output.text == f"{world.root}\nproblem\n"
    assert (output.process.running, output.process.exit_code) == (False, 3)
    assert output.total_bytes == output.shown_bytes == len(output.text)


async def test_a_command_that_a_signal_ended_has_the_exit_code_that_shells_give(world: World) -> None:
    assert (await world.run("kill -TERM $$")).process.exit_code == 128 + 15


async def test_a_command_works_in_the_directory_that_it_asks_for(world: World) -> None:
    (world.root / "sub").mkdir()

    assert await world.says("pwd", workdir="sub") == f"{world.root}/sub\n"
    assert await world.says("pwd", workdir=str(world.root / "sub")) == f"{world.root}/sub\n"
    with pytest.raises(CannotStart, match="nowhere does not exist"):
        await world.start("pwd", workdir="nowhere")


async def test_a_command_does_not_work_where_a_link_leads_out_of_the_workspace(world: World) -> None:
    (world.root / "sub").mkdir()
    (world.root / "in").symlink_to("sub")
    (world.root / "out").symlink_to(world.data)

    assert await world.says("pwd -P", workdir="in") == f"{world.root}/sub\n"
    for workdir in ("out", "in/../out", str(world.root / "out")):
        with pytest.raises(CannotStart, match="leads out of the workspace"):
            await world.start("pwd", workdir=workdir)


@proves("workspaces", 21)
async def test_without_its_root_a_command_starts_in_its_home(world: World) -> None:
    world.root.rmdir()

    assert await world.says('[ "$PWD" = "$HOME" ] && echo home') == "home\n"


async def test_what_is_written_to_the_workspace_stays_and_tmp_is_shared_between_commands(
    world: World,
) -> None:
    await world.run('echo kept >file; echo "for the next" >"$HOME/note"')

    assert (world.root / "file").read_text() == "kept\n"
    assert await world.says('cat "$HOME/note"') == "for the next\n"


@proves("workspaces", 15)
async def test_of_a_long_output_the_ends_are_shown_and_the_counts_add_up(world: World) -> None:
    output = await world.run(
        "echo first; head -c 1048576 /dev/zero | tr '\\0' 'x' | fold -w 63; echo; echo last"
    )

    assert output.text.startswith("first\n")
    assert output.text.endswith("last\n")
    assert len(output.text.encode()) <= OUTPUT_BYTES_MAX
    assert output.total_bytes > MIB
    assert output.shown_bytes < OUTPUT_BYTES_MAX
    left_out = output.total_bytes - output.shown_bytes
    assert f"[... {left_out} bytes are left out here ...]" in output.text
    assert output.lost_bytes == 0


async def test_a_long_output_can_be_read_piece_by_piece_to_its_end(world: World) -> None:
    process = (await world.run("seq 100000")).process
    pieces, offset = [], 0
    while True:
        output = await world.processes.output(CHAT, process.id, Look(offset=offset))
        if not output.text:
            break
        pieces.append(output.text)
        offset = output.next_offset

    assert "".join(pieces) == "".join(f"{number}\n" for number in range(1, 100_001))


async def test_of_an_endless_output_the_ends_are_kept_and_the_rest_is_counted_as_lost(world: World) -> None:
    """Twice of what is kept."""
    output = await world.run(f"echo first; head -c {2 * SPOOL_BYTES_MAX} /dev/zero; echo last")

    assert output.total_bytes == 2 * SPOOL_BYTES_MAX + len("first\nlast\n")
    assert output.lost_bytes == output.total_bytes - SPOOL_BYTES_MAX
    assert output.text.startswith("first\n")
    assert output.text.endswith("last\n")


@proves("workspaces", 16)
async def test_a_long_line_is_clipped(world: World) -> None:
    output = await world.run("head -c 10000 /dev/zero | tr '\\0' 'x'")

    half = "x" * 1024
    assert output.text == f"{half} [... 7952 bytes of this line ...] {half}"
    assert (output.total_bytes, output.shown_bytes) == (10_000, 2048)


async def test_only_the_last_lines_or_lines_with_a_word_can_be_asked_for(world: World) -> None:
    process = (await world.run("seq 1 100; echo Error: nothing; seq 101 110")).process

    tail = await world.processes.output(CHAT, process.id, Look(tail=2))
    chosen = await world.processes.output(CHAT, process.id, Look(words=("error", "99")))

    assert tail.text == "109\n110\n"
    assert chosen.text == "99\nError: nothing\n"


async def test_output_can_be_followed_while_it_comes(world: World) -> None:
    gate = world.fifo()
    process = await world.start("echo one; cat fifo; echo three")
    await world.printed(process, "one\n")

    gate.write_text("two\n")
    rest = await world.ended(process, Look(offset=len("one\n")))

    assert rest.text == "two\nthree\n"


@proves("workspaces", 17)
async def test_a_wait_that_is_over_says_that_the_process_runs_on(timed: World, clock: MovedClock) -> None:
    timed.fifo()
    process = await timed.start("cat fifo")
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        waiting = group.create_task(
            timed.processes.output(CHAT, process.id, Look(), until=Until.EXIT, wait_seconds=3600)
        )
        # One turn for the request, and one for its timer, which then knows when it began.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        # No request waits longer than five minutes.
        await clock.advance(299)
        assert not waiting.done()
        await clock.advance(1)

    assert waiting.result().process.running


@proves("workspaces", 18)
async def test_the_process_of_another_chat_is_unknown(world: World) -> None:
    world.fifo()
    process = await world.start("cat fifo", takes_input=True)

    for attempt in (
        world.processes.output(OTHER, process.id, Look()),
        world.processes.input(OTHER, process.id, b"x"),
        world.processes.signal(OTHER, process.id, Signal.KILL),
    ):
        with pytest.raises(UnknownProcess):
            await attempt
    assert await world.processes.list(OTHER) == ()
    assert [each.id for each in await world.processes.list(None)] == [process.id]
    assert (await world.processes.list(CHAT))[0].running


@proves("workspaces", 19)
async def test_a_signal_reaches_the_children_of_the_shell(world: World) -> None:
    world.fifo()
    process = await world.start(
        "(trap 'echo child ends; exit' TERM; echo up; while :; do read x <fifo; done) & wait"
    )
    await world.printed(process, "up\n")

    await world.processes.signal(CHAT, process.id, Signal.TERMINATE)
    output = await world.ended(process)

    assert output.process.exit_code == 128 + 15
    # In a sandbox the child may be gone before it can speak; in no case does it go on.
    assert await nothing_holds(world.root / "fifo")


async def test_a_command_can_end_in_an_orderly_way(world: World) -> None:
    world.fifo()
    process = await world.start("trap 'echo bye; exit 7' TERM; echo up; while :; do read x <fifo; done")
    await world.printed(process, "up\n")

    # The shell waits for its FIFO, and the signal wakes it.
    await world.processes.signal(CHAT, process.id, Signal.TERMINATE)
    output = await world.ended(process)

    assert output.text.endswith("bye\n")
    assert output.process.exit_code == 7


async def test_a_process_that_has_ended_cannot_be_signalled(world: World) -> None:
    process = (await world.run("true")).process

    with pytest.raises(NotRunning, match="ended with exit code 0"):
        await world.processes.signal(CHAT, process.id, Signal.KILL)


async def test_a_process_that_is_ended_before_it_has_begun_does_not_go_on(world: World) -> None:
    async with asyncio.TaskGroup() as group:
        starting = group.create_task(world.start(f"cat {world.fifo()}"))
        while not (listed := await world.processes.list(CHAT)):  # noqa: ASYNC110 - a task of ours is to begin
            await asyncio.sleep(0)
        assert not starting.done()
        await world.processes.signal(CHAT, listed[0].id, Signal.KILL)

    assert (await world.ended(starting.result())).process.exit_code == 137


@proves("workspaces", 20)
async def test_a_process_is_forgotten_an_hour_after_its_end(timed: World, clock: MovedClock) -> None:
    """The specification asks for five minutes; output is wanted longer."""
    process = (await timed.run("echo words")).process

    await clock.advance(FINISHED_SECONDS_MAX - 1)
    assert (await timed.processes.output(CHAT, process.id, Look())).text == "words\n"
    await clock.advance(1)
    with pytest.raises(UnknownProcess):
        await timed.processes.output(CHAT, process.id, Look())
    assert list((timed.data / "scratch" / "output").iterdir()) == []


@proves("workspaces", 51)
async def test_a_start_that_is_repeated_starts_nothing(world: World) -> None:
    start = Start(id="mine", chat_id=CHAT, command="echo once >>file")

    first, second = await asyncio.gather(world.processes.start(start), world.processes.start(start))
    await world.ended(first)
    await world.processes.start(start)

    assert first.id == second.id
    assert (world.root / "file").read_text() == "once\n"
    with pytest.raises(CannotStart, match="used already"):
        await world.processes.start(Start(id="mine", chat_id=OTHER, command="echo once >>file"))


async def test_running_ones_are_listed_first_and_then_the_newest(world: World) -> None:
    world.fifo()
    first = await world.start("cat fifo")
    second = (await world.run("true")).process
    third = (await world.run("true")).process

    assert [each.id for each in await world.processes.list(CHAT)] == [first.id, third.id, second.id]


async def test_a_chat_runs_only_so_many_at_once(world: World) -> None:
    world.fifo()
    for _ in range(RUNNING_IN_CHAT_MAX):
        await world.start("cat fifo")

    with pytest.raises(CannotStart, match="16 processes of this chat are running"):
        await world.start("true")
    assert (await world.run("echo hello", chat_id=OTHER)).text == "hello\n"


async def test_of_finished_ones_only_so_many_are_kept(tmp_path: Path) -> None:
    async with a_world(tmp_path, SandboxMode.OFF) as world:
        for _ in range(FINISHED_MAX + 2):
            await world.run("true")

        assert len(await world.processes.list(CHAT)) <= FINISHED_MAX + 1
        with pytest.raises(UnknownProcess):
            await world.processes.output(CHAT, "p1", Look())


async def test_a_command_gets_its_input_and_learns_that_it_is_over(world: World) -> None:
    process = await world.start("cat", takes_input=True)

    await world.processes.input(CHAT, process.id, b"one\n")
    await world.printed(process, "one\n")
    await world.processes.input(CHAT, process.id, b"two\n", end=True)

    assert (await world.ended(process)).text == "one\ntwo\n"


async def test_without_an_open_input_a_command_reads_an_empty_one(world: World) -> None:
    world.fifo()
    process = await world.start("cat; echo read; cat fifo")
    await world.printed(process, "read\n")

    with pytest.raises(NoInput, match="keep_input_open"):
        await world.processes.input(CHAT, process.id, b"x")


@pytest.mark.parametrize(
    ("command", "why"),
    [("", "empty"), ("  \n", "empty"), ("echo \0", "NUL"), ("x" * (COMMAND_BYTES_MAX + 1), "longer than")],
)
async def test_a_command_that_cannot_run_is_refused(world: World, command: str, why: str) -> None:
    with pytest.raises(CannotStart, match=why):
        await world.start(command)

    assert await world.processes.list(None) == ()


async def test_half_a_surrogate_pair_in_a_command_does_no_harm(world: World) -> None:
    assert (await world.run("echo \ud800")).process.exit_code == 0


async def test_without_a_shell_the_refusal_says_what_to_do(tmp_path: Path) -> None:
    async with a_world(tmp_path, SandboxMode.OFF, shell_path="/nowhere/sh") as world:
        with pytest.raises(CannotStart, match="install a POSIX shell"):
            await world.start("true")


async def test_without_a_sandbox_that_is_required_nothing_runs(tmp_path: Path) -> None:
    confinement = Confinement(mode=SandboxMode.REQUIRE)
    enclosure = await find_enclosure(confinement, "no-such-bwrap")
    async with local_processes(
        tmp_path, tmp_path / "scratch", enclosure, confinement, MovedClock()
    ) as processes:
        with pytest.raises(CannotStart, match="No command is run"):
            await processes.start(Start(id="p1", chat_id=CHAT, command="touch file"))

    assert not (tmp_path / "file").exists()


async def test_a_caller_that_gives_up_leaves_the_process_running(world: World) -> None:
    world.fifo()
    process = await world.start("cat fifo")
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(
            world.processes.output(CHAT, process.id, Look(), until=Until.EXIT, wait_seconds=60)
        )
        await asyncio.sleep(0)
        waiting.cancel()

    assert (await world.processes.list(CHAT))[0].running


@pytest.mark.parametrize("mode", [SandboxMode.REQUIRE, SandboxMode.OFF])
async def test_what_runs_ends_with_its_workspace_and_leaves_nothing_behind(
    tmp_path: Path, mode: SandboxMode
) -> None:
    async with a_world(tmp_path, mode) as world:
        fifo = world.fifo()
        await world.start("trap '' TERM; cat fifo")
        await world.start("setsid cat fifo & cat fifo")
        open_before = descriptors()

    assert await nothing_holds(fifo)
    assert not (tmp_path / "data" / "scratch").exists()
    assert descriptors() < open_before


async def test_processes_that_have_ended_leave_no_descriptor_no_child_and_no_task(world: World) -> None:
    await world.run("true")
    before = (descriptors(), len(asyncio.all_tasks()))

    for _ in range(5):
        await world.run("seq 1000")

    assert (descriptors(), len(asyncio.all_tasks())) <= before


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc").exists() else 0


async def nothing_holds(fifo: Path) -> bool:
    """Whether no process has the FIFO open for reading, or waits to do so: then we could write to it."""
    async with asyncio.timeout(60):
        while True:
            try:
                os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
            except OSError:
                return True
            await asyncio.sleep(0.01)
