from pathlib import Path

import pytest

from chatd.domain.call import CallResult, Effect
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.tools.calls.call import run_call
from chatd.tools.rehearsal import FileWitness, rehearsal_tools
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from tests.clock import HurriedClock
from tests.house.repository import read
from tests.support.memory_witness import MemoryWitness
from tests.words import call


class Stage:
    """Tools that are watched."""

    def __init__(self) -> None:
        self.witness = MemoryWitness()
        self.clock = HurriedClock()
        self.shown: list[str] = []
        self.toolbox = Toolbox(rehearsal_tools(self.witness, self.clock))

    async def run(self, tool: str, args: Json = None) -> CallResult:
        setting = Setting(chat_id=ChatId("chat"), call_id=CallId("c1"), show=self.shown.append)
        return (await run_call(self.toolbox, tool, args, setting)).result


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.mark.parametrize(
    ("tool", "args", "result", "line"),
    [
        ("echo", {"text": "hi"}, {"text": "hi"}, "echo c1 hi"),
        ("wait", {"seconds": 2}, {"output": "waited 2 seconds"}, "wait c1"),
        ("remember", {"text": "milk"}, {"output": "remembered: milk"}, "remember c1 milk"),
        ("launch", {"text": "it", "seconds": 1}, {"output": "launched: it"}, "launch c1 it"),
        ("alone", None, {"output": "done"}, "alone c1"),
        ("plan_done", None, {"output": "done"}, "plan_done c1"),
    ],
)
async def test_each_run_has_a_result_and_a_witness(
    stage: Stage, tool: str, args: Json, result: Json, line: str
) -> None:
    assert await stage.run(tool, args) == CallResult(result=result)
    assert stage.witness.lines == [line]


async def test_what_takes_time_takes_it_from_the_clock(stage: Stage) -> None:
    await stage.run("wait", {"seconds": 2.5})
    await stage.run("launch", {"seconds": 4})

    assert stage.clock.slept == [2.5, 4.0]


async def test_an_explosion_is_seen_and_comes_back_as_an_error(stage: Stage) -> None:
    result = await stage.run("explode", {"text": "bang"})

    assert result.is_error
    assert result.result["error"].startswith("explode crashed: ExplosionError: bang. ")
    assert stage.witness.lines == ["explode c1 bang"]


async def test_output_is_shown_in_pieces(stage: Stage) -> None:
    await stage.run("show", {"text": "line", "pieces": 3, "seconds": 0.5})

    assert stage.shown == ["line 1\n", "line 2\n", "line 3\n"]
    assert stage.clock.slept == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("tool", "args"), [("wait", {"seconds": 1e9}), ("wait", {"seconds": -1}), ("show", {"pieces": 10**9})]
)
async def test_nothing_takes_forever(stage: Stage, tool: str, args: Json) -> None:
    assert (await stage.run(tool, args)).is_error
    assert stage.witness.lines == []


def test_the_tools_differ_in_what_a_second_run_would_mean(stage: Stage) -> None:
    effects = {name: stage.toolbox.plan(call("c", name)).effect for name in ("echo", "remember", "launch")}

    assert effects == {"echo": Effect.READ, "remember": Effect.REPEATABLE, "launch": Effect.ONCE}


def test_a_file_is_a_witness_for_other_processes(tmp_path: Path) -> None:
    path = tmp_path / "witness"

    assert FileWitness(path).lines == []
    FileWitness(path).saw("launch c1")
    FileWitness(path).saw("launch c2")

    assert FileWitness(path).lines == ["launch c1", "launch c2"]


def test_the_how_to_names_every_tool(stage: Stage) -> None:
    page = read("docs/howto/script-a-model.md")

    assert [offer.name for offer in stage.toolbox.specs() if f"| `{offer.name}` |" not in page] == []
