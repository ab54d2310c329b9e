from chatd.tools.processes.process_input import INPUT_BYTES_MAX
from tests.tools.processes.desk import Desk


async def test_a_process_reads_what_it_is_given_and_then_the_end(desk: Desk) -> None:
    started = await desk.told("execute", command="cat", run_in_background=True, keep_input_open=True)
    name = started["background_process_id"]

    given = await desk.told("process_input", process_id=name, input="wörds\n")
    await desk.told("process_input", process_id=name, input="", end=True)
    told = await desk.told("process_output", process_id=name, wait_timeout="1m")

    assert given == {"success": True, "message": "The process was given 7 bytes."}
    assert (told["output"], told["exit_code"]) == ("wörds\n", 0)


async def test_a_process_without_an_open_input_says_how_to_get_one(desk: Desk) -> None:
    desk.world.fifo()
    started = await desk.told("execute", command="cat fifo", run_in_background=True)

    told = await desk.told("process_input", process_id=started["background_process_id"], input="x")

    assert told["success"] is False
    assert "keep_input_open" in told["message"]


async def test_a_process_that_does_not_read_holds_nothing_up_for_ever(desk: Desk) -> None:
    desk.world.fifo()
    started = await desk.told("execute", command="cat fifo", run_in_background=True, keep_input_open=True)
    name, much = started["background_process_id"], "x" * INPUT_BYTES_MAX

    answers = [await desk.told("process_input", process_id=name, input=much) for _ in range(4)]

    assert answers[0]["success"] is True
    assert answers[-1]["success"] is False
    assert "does not read" in answers[-1]["message"]


async def test_input_that_is_too_long_is_an_error(desk: Desk) -> None:
    why = await desk.error("process_input", process_id="p", input="x" * (INPUT_BYTES_MAX + 1))

    assert "Write it to a file" in why


async def test_a_process_that_has_ended_takes_no_input(desk: Desk) -> None:
    started = await desk.told("execute", command="true", run_in_background=True, keep_input_open=True)
    name = started["background_process_id"]
    await desk.told("process_output", process_id=name, wait_timeout="1m")

    assert (await desk.told("process_input", process_id=name, input="x"))["success"] is False
