import pytest

from chatd.domain.call import Effect
from chatd.tools.toolbox import Toolbox
from tests.mcp.running import HOSTILE, Way, a_bench, program, running
from tests.traceability import proves


@proves("mcp-skills-hooks", 26)
async def test_of_a_server_with_lists_only_what_is_allowed_and_not_denied_is_offered() -> None:
    async with running(Way.STDIO, "time") as server, a_bench(server) as bench:
        bench.change(allow=("convert_time",))
        assert await bench.names() == ["time__convert_time"]

        bench.change(allow=(), deny=("convert_time",))
        assert await bench.names() == ["time__get_current_time"]

        bench.change(allow=("convert_time", "get_current_time"), deny=("convert_time",))
        assert await bench.names() == ["time__get_current_time"]


async def test_a_call_of_a_server_that_was_removed_meanwhile_is_refused() -> None:
    async with a_bench(program("-I", HOSTILE, "good")) as bench:
        toolbox = Toolbox([each.tool for each in await bench.offered()])
        bench.servers = []
        done = await bench.call_in(toolbox, "sample__do")

    assert done.is_error
    assert "cannot be used any more" in done.result["error"]


async def test_a_call_of_a_tool_that_was_denied_meanwhile_is_refused() -> None:
    async with a_bench(program("-I", HOSTILE, "good")) as bench:
        toolbox = Toolbox([each.tool for each in await bench.offered()])
        bench.change(deny=("do",))
        done = await bench.call_in(toolbox, "sample__do")

    assert done.is_error


async def test_a_tool_runs_once_unless_it_says_that_it_may_be_repeated() -> None:
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        effects = {each.tool.name: each.tool.effect for each in await bench.offered()}

    assert effects["sample__add"] is Effect.REPEATABLE
    assert effects["sample__fails"] is Effect.ONCE


async def test_what_a_call_touches_is_not_known_so_that_people_are_asked() -> None:
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        assert all(each.tool.touches is None for each in await bench.offered())


async def test_a_program_gets_the_variables_it_is_given_and_none_of_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHATD_SECRET_OF_TEST", "secret")
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        bench.change(env={"MINE": "mine"})
        mine = await bench.call("sample__environment", name="MINE")
        servers = await bench.call("sample__environment", name="CHATD_SECRET_OF_TEST")

    assert (mine.result, servers.result) == ({"output": "mine"}, {"output": "not there"})
