import asyncio

import pytest

from chatd.workspaces.processes import OUTPUT_BYTES_MAX
from tests.clock import MovedClock
from tests.tools.processes.desk import Desk
from tests.tools.processes.test_execute import Cut
from tests.traceability import proves
from tests.workspaces.local.world import OTHER


@proves("tools", 16)
async def test_a_process_that_ran_on_can_be_waited_for(desk: Desk) -> None:
    gate = desk.world.fifo()
    started = await desk.told("execute", command="cat fifo; exit 4", timeout="0s")
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(
            desk.told("process_output", process_id=started["background_process_id"], wait_timeout="1m")
        )
        await asyncio.sleep(0)
        gate.write_text("late\n")
    told = waiting.result()

    assert (told["output"], told["exit_code"], told["running"]) == ("late\n", 4, False)
    assert told["command"] == "cat fifo; exit 4"
    # Viewers see what came meanwhile.
    assert desk.shown == "late\n"


@proves("tools", 27)
async def test_a_look_at_a_running_process_does_not_wait(timed: Desk) -> None:
    timed.world.fifo()
    started = await timed.told("execute", command="cat fifo", run_in_background=True)

    told = await timed.told("process_output", process_id=started["background_process_id"], wait_timeout="0s")

    assert (told["success"], told["running"], told["exit_code"]) == (True, True, -1)
    assert "still running" in told["note"]


async def test_a_wait_that_is_over_says_that_the_process_runs_on(timed: Desk, clock: MovedClock) -> None:
    timed.world.fifo()
    started = await timed.told("execute", command="cat fifo", run_in_background=True)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(
            timed.told("process_output", process_id=started["background_process_id"], wait_timeout="20m")
        )
        while not waiting.done():
            await clock.advance(60)

    assert waiting.result()["running"] is True


async def test_parts_of_the_output_can_be_chosen(desk: Desk) -> None:
    # Longer than what one result shows.
    started = await desk.told("execute", command="seq 20000; echo ERROR here", run_in_background=True)
    name = started["background_process_id"]

    tail = await desk.told("process_output", process_id=name, tail=1)
    chosen = await desk.told("process_output", process_id=name, filter="error|19999")
    first = await desk.told("process_output", process_id=name, offset=0)
    second = await desk.told("process_output", process_id=name, offset=first["next_offset"])

    assert tail["output"] == "ERROR here\n"
    assert chosen["output"] == "19999\nERROR here\n"
    assert first["next_offset"] == OUTPUT_BYTES_MAX
    assert (
        first["output"] + second["output"]
        == "".join(f"{n}\n" for n in range(1, 20001))[: 2 * OUTPUT_BYTES_MAX]
    )


async def test_an_offset_beside_another_choice_is_an_error(desk: Desk) -> None:
    assert "cannot be combined" in await desk.error("process_output", process_id="p", offset=1, tail=1)


async def test_a_process_that_is_not_known_is_no_hard_error(desk: Desk) -> None:
    told = await desk.told("process_output", process_id="nothing")

    assert told["success"] is False
    assert "no process nothing" in told["error"]


@pytest.mark.parametrize(
    ("args", "why"), [({}, "process_id"), ({"process_id": "p", "wait_timeout": "x"}, "'x'")]
)
async def test_what_is_wrong_with_the_arguments_is_named(desk: Desk, args: dict[str, str], why: str) -> None:
    assert why in await desk.error("process_output", **args)


@proves("tools", 29)
async def test_the_process_of_another_chat_is_not_found_by_any_tool(desk: Desk) -> None:
    desk.world.fifo()
    started = await desk.told("execute", command="cat fifo", run_in_background=True, keep_input_open=True)
    name = started["background_process_id"]

    read = await desk.told("process_output", chat_id=OTHER, process_id=name)
    signalled = await desk.told("process_signal", chat_id=OTHER, process_id=name, signal="kill")
    given = await desk.told("process_input", chat_id=OTHER, process_id=name, input="x")
    listed = await desk.told("process_list", chat_id=OTHER)

    assert (read["success"], signalled["success"], given["success"]) == (False, False, False)
    assert f"no process {name}" in read["error"]
    assert f"no process {name}" in signalled["message"]
    assert listed == {"processes": []}
    assert (await desk.told("process_output", process_id=name, wait_timeout="0s"))["running"] is True


async def test_a_wait_that_was_cut_off_is_answered_by_a_look(desk: Desk) -> None:
    gate = desk.world.fifo()
    started = await desk.told("execute", command="cat fifo", run_in_background=True)
    cut = Desk(desk.world, processes=Cut(desk.world))
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(cut.told("process_output", process_id=started["background_process_id"]))
        await asyncio.sleep(0)
        gate.write_text("done\n")

    assert (waiting.result()["output"], waiting.result()["running"]) == ("done\n", False)
