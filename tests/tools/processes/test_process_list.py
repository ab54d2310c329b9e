from tests.tools.processes.desk import Desk
from tests.traceability import proves


@proves("tools", 28)
async def test_ten_of_twelve_processes_are_listed_and_running_ones_come_first(desk: Desk) -> None:
    desk.world.fifo()
    await desk.told("execute", command="cat fifo", run_in_background=True)
    for number in range(11):
        await desk.told("execute", command=f"echo {number}")

    listed = (await desk.told("process_list"))["processes"]

    assert [each["command"] for each in listed] == ["cat fifo", *(f"echo {n}" for n in range(10, 1, -1))]
    assert listed[0].keys() == {"id", "command", "workdir", "background", "running", "started_at_unix"}
    assert (listed[0]["running"], listed[0]["background"], listed[0]["workdir"]) == (
        True,
        True,
        str(desk.world.root),
    )
    assert (listed[1]["exit_code"], listed[1]["running"]) == (0, False)
    assert listed[1]["exited_at_unix"] >= listed[1]["started_at_unix"]
