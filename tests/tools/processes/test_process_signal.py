import pytest

from tests.tools.processes.desk import Desk
from tests.traceability import proves


@pytest.mark.parametrize(("signal", "exit_code"), [("terminate", 128 + 15), ("kill", 128 + 9)])
async def test_a_process_is_ended(desk: Desk, signal: str, exit_code: int) -> None:
    desk.world.fifo()
    started = await desk.told("execute", command="echo up; cat fifo", timeout="0s")
    name = started["background_process_id"]
    (process,) = await desk.world.processes.list(None)
    await desk.world.printed(process, "up\n")

    signalled = await desk.told("process_signal", process_id=name, signal=signal)
    told = await desk.told("process_output", process_id=name, wait_timeout="1m")

    assert signalled["success"] is True
    assert (told["running"], told["exit_code"]) == (False, exit_code)


async def test_a_process_that_has_ended_is_no_hard_error(desk: Desk) -> None:
    started = await desk.told("execute", command="true", run_in_background=True)
    name = started["background_process_id"]
    await desk.told("process_output", process_id=name, wait_timeout="1m")

    told = await desk.told("process_signal", process_id=name, signal="kill")

    assert told["success"] is False
    assert "has ended with exit code 0" in told["message"]


@proves("tools", 30)
async def test_another_signal_is_an_error_that_names_the_two(desk: Desk) -> None:
    why = await desk.error("process_signal", process_id="p", signal="hup")

    assert "terminate" in why
    assert "kill" in why
