import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.tools.calls.call import run_call
from chatd.tools.processes import process_tools
from chatd.tools.processes.execute import Args, execute
from chatd.tools.processes.follow import LIVE_BYTES_MAX, QUICK_SECONDS
from chatd.tools.tool import Setting, Tool
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.local.sandbox.confine import SandboxMode
from chatd.workspaces.processes import Look, Output, Process, Start, Unreachable, Until
from tests.clock import MovedClock
from tests.tools.processes.desk import Desk, OnlyProcesses
from tests.traceability import proves
from tests.workspaces.local.world import CHAT, World, a_world


async def test_a_command_comes_back_with_its_output_and_its_exit_code(desk: Desk) -> None:
    told = await desk.told("execute", command="echo words; exit 2", model_intent="trying")

    assert told.pop("wall_duration_ms") >= 0
    assert told == {"success": False, "output": "words\n", "exit_code": 2}


async def test_a_command_that_succeeds_says_so(desk: Desk) -> None:
    assert (await desk.told("execute", command="true"))["success"] is True


@proves("tools", 15)
async def test_a_command_that_takes_too_long_runs_on_and_can_be_found(timed: Desk, clock: MovedClock) -> None:
    timed.world.fifo()
    async with asyncio.TaskGroup() as group:
        calling = group.create_task(timed.told("execute", command="echo up; cat fifo"))
        await timed.sees("up\n")
        await clock.advance(9.9)
        assert not calling.done()
        while not calling.done():
            await clock.advance(0.1)
    told = calling.result()

    assert (told["success"], told["exit_code"], told["output"]) == (False, -1, "up\n")
    assert "has not ended within 10s, and runs on" in told["error"]
    (process,) = await timed.world.processes.list(CHAT)
    assert (process.id, process.running) == (told["background_process_id"], True)


@proves("tools", 17)
async def test_a_command_in_the_background_comes_back_at_once(desk: Desk) -> None:
    desk.world.fifo()

    told = await desk.told("execute", command="cat fifo", run_in_background=True)

    assert (told["success"], told["backgrounded"]) == (True, True)
    (process,) = await desk.world.processes.list(CHAT)
    assert (process.id, process.running, process.background) == (told["background_process_id"], True, True)


@proves("tools", 18)
async def test_a_command_that_ends_in_an_ampersand_runs_in_the_background_without_it(desk: Desk) -> None:
    desk.world.fifo()

    told = await desk.told("execute", command="cat fifo & \n")

    assert told["backgrounded"] is True
    (process,) = await desk.world.processes.list(CHAT)
    assert (process.command, process.background) == ("cat fifo", True)


@proves("tools", 19)
@pytest.mark.parametrize("command", ["true &&", "true |&", "echo hi >&", "echo a \\&", "echo '&'"])
async def test_other_endings_with_an_ampersand_are_left_to_the_shell(desk: Desk, command: str) -> None:
    told = await desk.told("execute", command=command)

    assert "backgrounded" not in told
    (process,) = await desk.world.processes.list(CHAT)
    assert process.command == command


class Cut:
    """A way to the workspace that breaks: waits are never answered, and other requests only if it is said."""

    def __init__(self, world: World, *, answers_looks: bool = True, lost_starts: int = 0) -> None:
        self._world = world
        self._answers_looks = answers_looks
        self._lost_starts = lost_starts
        self.starts: list[Start] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world.processes, name)

    async def start(self, start: Start) -> Process:
        self.starts.append(start)
        process = await self._world.processes.start(start)
        if len(self.starts) <= self._lost_starts:
            raise Unreachable("the answer was lost")
        return process

    async def output(
        self,
        chat_id: ChatId | None,
        process_id: str,
        look: Look,
        *,
        until: Until = Until.NOW,
        wait_seconds: float = 0.0,
    ) -> Output:
        if until is not Until.NOW:
            await self._world.processes.output(chat_id, process_id, look, until=Until.EXIT, wait_seconds=60)
            raise Unreachable("the connection broke")
        if not self._answers_looks:
            raise Unreachable("no answer")
        return await self._world.processes.output(chat_id, process_id, look)


@proves("tools", 20)
async def test_a_wait_that_was_cut_off_ends_with_the_true_result_of_a_process_that_has_ended(
    desk: Desk,
) -> None:
    cut = Desk(desk.world, processes=Cut(desk.world))

    told = await cut.told("execute", command="echo done; exit 3")

    assert (told["output"], told["exit_code"], "error" in told) == ("done\n", 3, False)


@proves("tools", 21)
async def test_a_workspace_that_is_away_leaves_the_id_of_the_process(desk: Desk) -> None:
    cut = Desk(desk.world, processes=Cut(desk.world, answers_looks=False))

    told = await cut.told("execute", command="true")

    (process,) = await desk.world.processes.list(CHAT)
    assert (told["success"], told["background_process_id"]) == (False, process.id)
    assert "the connection broke" in told["error"]
    assert "no answer" in told["error"]


async def test_a_start_whose_answer_was_lost_is_not_made_twice(desk: Desk) -> None:
    once = Cut(desk.world, lost_starts=1)
    always = Cut(desk.world, lost_starts=9)

    await Desk(desk.world, processes=once).told("execute", command="echo once >>file")
    told = await Desk(desk.world, processes=always).told("execute", command="echo twice >>file")

    assert told["background_process_id"] == always.starts[0].id == always.starts[-1].id
    for process in await desk.world.processes.list(CHAT):
        await desk.world.ended(process)
    assert (desk.world.root / "file").read_text() == "once\ntwice\n"


@proves("tools", 22)
@pytest.mark.parametrize("written", ["soon", "10", "", "-5s", "5 s", "1d", "99h"])
async def test_a_timeout_that_is_none_is_named(desk: Desk, written: str) -> None:
    assert repr(written) in await desk.error("execute", command="true", timeout=written)
    assert await desk.world.processes.list(CHAT) == ()


@proves("tools", 23)
@pytest.mark.parametrize("source", ["/dev/zero | tr '\\0' 'x' | fold -w 99", "/dev/urandom"])
async def test_a_long_output_is_cut_to_its_bound_and_the_counts_are_told(desk: Desk, source: str) -> None:
    told = await desk.told("execute", command=f"head -c 102400 {source}")

    output, counts = told["output"], told["truncated"]
    assert len(output.encode("utf-8")) <= 32 * 1024
    assert counts["strategy"] == "head_tail"
    assert counts["original_bytes"] == counts["retained_bytes"] + counts["omitted_bytes"]
    assert counts["original_bytes"] >= 102400
    # What was left out can be asked for.
    assert told["background_process_id"]


@proves("tools", 24)
@pytest.mark.parametrize(
    "command",
    [
        "cat file",
        "  cat a b",
        "grep -rl word .",
        "rg --files-with-matches word",
        "rg --include-all word",
    ],
)
async def test_a_command_that_dumps_files_comes_with_advice(desk: Desk, command: str) -> None:
    assert "Prefer" in (await desk.told("execute", command=command))["note"]


@pytest.mark.parametrize("command", ["cat >file <<E\nx\nE", "cat file | wc -l", "ls -l", "concat file"])
async def test_other_commands_come_without_advice(desk: Desk, command: str) -> None:
    assert "note" not in await desk.told("execute", command=command)


@proves("tools", 25)
async def test_without_a_shell_the_error_says_what_to_do(tmp_path: Path) -> None:
    async with a_world(tmp_path, SandboxMode.AUTO, shell_path="/nowhere/sh") as world:
        assert "install a POSIX shell" in await Desk(world).error("execute", command="true")


@proves("tools", 26)
async def test_neither_an_editor_nor_a_question_can_hold_git_up(desk: Desk) -> None:
    names = "GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL GIT_TERMINAL_PROMPT GIT_PAGER PAGER TERM NO_COLOR"

    told = await desk.told("execute", command=f'for n in {names}; do eval "echo $n=\\$$n"; done')

    assert told["output"].splitlines() == [
        "GIT_EDITOR=true",
        "GIT_SEQUENCE_EDITOR=true",
        "EDITOR=true",
        "VISUAL=true",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_PAGER=cat",
        "PAGER=cat",
        "TERM=dumb",
        "NO_COLOR=1",
    ]


@proves("tools", 79)
async def test_an_interrupt_cancels_the_wait_and_leaves_the_process_listed(desk: Desk) -> None:
    desk.world.fifo()
    async with asyncio.TaskGroup() as group:
        calling = group.create_task(desk.told("execute", command="echo up; cat fifo", timeout="1h"))
        await desk.sees("up\n")
        calling.cancel()

    listed = (await desk.told("process_list"))["processes"]
    assert [(each["command"], each["running"]) for each in listed] == [("echo up; cat fifo", True)]


async def test_output_is_shown_to_viewers_while_the_command_runs(desk: Desk) -> None:
    gate = desk.world.fifo()
    async with asyncio.TaskGroup() as group:
        calling = group.create_task(
            desk.told("execute", command="echo one; cat fifo; echo three", timeout="1m")
        )
        await desk.sees("one\n")
        assert not calling.done()
        gate.write_text("two\n")

    assert desk.shown == calling.result()["output"] == "one\ntwo\nthree\n"


async def test_viewers_are_shown_only_so_much_of_an_endless_output(desk: Desk) -> None:
    await desk.told("execute", command="yes | head -c 1000000")

    assert desk.shown.endswith("[more output follows, and is not shown while the command runs]\n")
    assert len(desk.shown) < LIVE_BYTES_MAX + 20_000


async def test_nothing_that_a_command_prints_can_command_a_terminal(desk: Desk) -> None:
    told = await desk.told(
        "execute", command=r"printf '\033[31mred\033[0m \033]0;title\007 \033[2Jx\b\000y 10%%\r20%%\r\n'"
    )

    assert told["output"] == desk.shown == "red  xy 10%\n20%\n"


async def test_a_long_command_neither_holds_a_slot_nor_looks_stuck(timed: Desk, clock: MovedClock) -> None:
    rests: list[str] = []

    @asynccontextmanager
    async def resting() -> AsyncIterator[None]:
        rests.append("begin")
        yield
        rests.append("end")

    gate = timed.world.fifo()
    setting = Setting(
        chat_id=CHAT,
        call_id=CallId("c"),
        show=timed.show,
        resting=resting,
        workspace=OnlyProcesses(timed.world.processes),
    )
    async with asyncio.TaskGroup() as group:
        calling = group.create_task(ran(execute(clock), Args("echo up; cat fifo", timeout="1h"), setting))
        await timed.sees("up\n")
        assert rests == []
        while not rests:
            await clock.advance(QUICK_SECONDS)
        gate.write_text("done\n")
        told = await calling

    assert rests == ["begin", "end"]
    assert told["output"] == "up\ndone\n"


async def test_an_empty_command_is_an_error(desk: Desk) -> None:
    assert "empty" in await desk.error("execute", command=" ")


async def ran(tool: Tool[Any], args: Struct, setting: Setting) -> Json:
    return await tool.run(args, setting)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("execute", {"command": "true"}),
        ("process_output", {"process_id": "p"}),
        ("process_input", {"process_id": "p", "input": ""}),
        ("process_list", {}),
        ("process_signal", {"process_id": "p", "signal": "kill"}),
    ],
)
async def test_without_a_workspace_the_error_says_what_is_missing(
    tool: str, args: Json, clock: MovedClock
) -> None:
    setting = Setting(chat_id=CHAT, call_id=CallId("c"), show=lambda _: None)

    ran = await run_call(Toolbox(process_tools(clock)), tool, args, setting)

    assert ran.result.is_error
    assert "This chat has no workspace" in ran.result.result["error"]


def test_a_command_is_never_run_twice() -> None:
    effects = {tool.name: tool.effect for tool in process_tools(MovedClock())}

    assert effects == {
        "execute": Effect.ONCE,
        "process_output": Effect.READ,
        "process_input": Effect.ONCE,
        "process_list": Effect.READ,
        "process_signal": Effect.REPEATABLE,
    }


@pytest.mark.parametrize(
    ("tool", "args", "touched"),
    [
        ("execute", {"command": "ls; rm x &"}, Touches(commands=("ls; rm x &",))),
        (
            "execute",
            {"command": "ls", "workdir": "/etc"},
            Touches(commands=("ls",), directory="/etc", reads=("/etc",)),
        ),
        ("process_output", {"process_id": "p"}, Touches()),
        ("process_list", {}, Touches()),
        ("process_signal", {"process_id": "p", "signal": "kill"}, Touches()),
    ],
)
def test_what_a_call_touches_is_told_before_it_runs(tool: str, args: Json, touched: Touches) -> None:
    (found,) = (each for each in process_tools(MovedClock()) if each.name == tool)
    assert found.touches is not None

    assert found.touches(found.arguments.check(args)) == touched


def test_what_input_does_to_a_process_cannot_be_told() -> None:
    (found,) = (each for each in process_tools(MovedClock()) if each.name == "process_input")

    assert found.touches is None
