from chatd.kit.clock import SystemClock
from chatd.mcp.connections.opening import wire_sessions
from chatd.mcp.probe import probe
from tests.mcp.running import HOSTILE, Children, Way, program, running


async def test_a_server_is_tried_out_and_let_go_of_again() -> None:
    children = Children()
    async with running(Way.STDIO, "time") as server:
        probed = await probe(wire_sessions(), server, SystemClock())

    assert [tool.name for tool in probed.listing.tools] == ["convert_time", "get_current_time"]
    assert probed.problem is None
    assert not children()


async def test_why_it_cannot_be_used_is_told_without_its_secret() -> None:
    server = program("-I", HOSTILE, "complains", env={"KEY": "sk-very-secret"})

    probed = await probe(wire_sessions(), server, SystemClock())

    assert probed.problem is not None
    assert "cannot log in with [hidden]" in probed.problem
    assert probed.listing.tools == ()
