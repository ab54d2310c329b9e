"""Which tools a chat has, and in which order its model is told of them."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from chatd.agent.toolboxes.toolboxes import FindMcpTools, FindTools, Toolboxes, ToolGroup
from chatd.domain.call import Effect
from chatd.domain.chat import Chat
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.domain.setup import NO_SETUP, ClientTool, Setup
from chatd.kit.clock import SystemClock
from chatd.mcp.search.deferred import TOLD_MAX
from chatd.mcp.tools.offered import McpTools, Offered
from chatd.providers.model import Model
from chatd.providers.scripted.model import ScriptedModel
from chatd.tools.arguments import typed
from chatd.tools.calls.call import run_call
from chatd.tools.rehearsal import Nothing
from chatd.tools.tool import AnyTool, Setting, Tool
from tests.support.model import ModelChat
from tests.traceability import proves

WORKING = replace(NO_SETUP, workspace="/somewhere")


async def _do_nothing(_: Nothing, __: Setting) -> Json:
    return None


def a_tool(name: str, description: str = "") -> AnyTool:
    return Tool(
        name=name, description=description, arguments=typed(Nothing), effect=Effect.READ, run=_do_nothing
    )


GROUPS = (
    ToolGroup(tools=(a_tool("zoom"),)),
    ToolGroup(tools=(a_tool("run"), a_tool("look")), needs_workspace=True),
    ToolGroup(tools=(a_tool("act"),), provider="scripted"),
)


def finding(*tools: AnyTool) -> FindTools:
    async def find(chat: Chat, model: Model, setup: Setup) -> Sequence[AnyTool]:
        return tools

    return find


async def offered(toolboxes: Toolboxes, provider: str, setup: Setup) -> list[str]:
    model = ScriptedModel(SystemClock())
    model.provider = provider
    toolbox = await toolboxes.of(ModelChat().chat, model, setup)
    return [spec.name for spec in toolbox.specs()]


async def test_chats_that_have_only_tools_of_the_same_groups_share_one_toolbox() -> None:
    toolboxes, model = Toolboxes(GROUPS), ScriptedModel(SystemClock())
    chat, another = ModelChat().chat, replace(ModelChat().chat, id=ChatId("another"))
    with_a_client = replace(NO_SETUP, client_tools=(ClientTool(name="ring"),))

    shared = await toolboxes.of(chat, model, NO_SETUP)

    assert await toolboxes.of(another, model, NO_SETUP) is shared
    for setup in (WORKING, with_a_client):
        assert (await toolboxes.of(another, model, setup)).specs() != shared.specs()


@pytest.mark.parametrize(
    ("provider", "setup", "names"),
    [
        ("scripted", WORKING, ["zoom", "run", "look", "act"]),
        ("scripted", NO_SETUP, ["zoom", "act"]),
        ("anthropic", WORKING, ["zoom", "run", "look"]),
        ("anthropic", NO_SETUP, ["zoom"]),
    ],
)
async def test_a_chat_has_the_tools_that_its_model_and_its_workspace_call_for(
    provider: str, setup: Setup, names: list[str]
) -> None:
    toolboxes = Toolboxes(GROUPS)

    assert await offered(toolboxes, provider, setup) == names
    assert toolboxes.names(provider, has_workspace=setup.workspace is not None) == set(names)
    assert toolboxes.all_names() == {"zoom", "run", "look", "act"}


async def test_tools_that_are_found_for_a_chat_come_after_ours_and_never_take_a_name() -> None:
    found = [finding(a_tool("zoom", "theirs"), a_tool("b")), finding(a_tool("a"), a_tool("b", "late"))]
    toolbox = await Toolboxes(GROUPS[:1], found).of(ModelChat().chat, ScriptedModel(SystemClock()), NO_SETUP)

    assert [(spec.name, spec.description) for spec in toolbox.specs()] == [("zoom", ""), ("b", ""), ("a", "")]


def of_servers(*tools: AnyTool, **absent: str) -> FindMcpTools:
    async def find(chat: Chat, setup: Setup) -> McpTools:
        offered = tuple(Offered(tool=tool, server="s", schema_bytes=100) for tool in tools)
        return McpTools(offered=offered, absent=absent)

    return find


MANY = [a_tool(f"s__tool{number}") for number in range(TOLD_MAX + 1)]


async def test_tools_of_mcp_servers_come_last_and_many_of_them_behind_a_search() -> None:
    few = Toolboxes(GROUPS[:1], [finding(a_tool("b"))], of_servers(a_tool("s__x"), a_tool("zoom", "theirs")))
    many = Toolboxes(GROUPS[:1], mcp_tools=of_servers(*MANY))

    assert await offered(few, "anthropic", NO_SETUP) == ["zoom", "b", "s__x"]
    assert await offered(many, "anthropic", NO_SETUP) == ["zoom", "find_tools"]


@proves("mcp-skills-hooks", 45)
async def test_beside_a_client_tool_of_that_name_there_is_no_search() -> None:
    theirs = replace(NO_SETUP, client_tools=(ClientTool(name="find_tools"),))

    names = await offered(Toolboxes(GROUPS[:1], mcp_tools=of_servers(*MANY)), "anthropic", theirs)

    assert names == ["zoom", *(tool.name for tool in MANY), "find_tools"]


@proves("mcp-skills-hooks", 36)
async def test_a_call_of_a_tool_whose_server_is_not_there_is_told_which_one_and_why() -> None:
    toolboxes = Toolboxes(GROUPS[:1], mcp_tools=of_servers(github="It did not answer."))
    toolbox = await toolboxes.of(ModelChat().chat, ScriptedModel(SystemClock()), NO_SETUP)
    setting = Setting(chat_id=ChatId("chat"), call_id=CallId("call"), show=print)

    ran = await run_call(toolbox, "github__create_issue", {}, setting)
    other = await run_call(toolbox, "jira__create_issue", {}, setting)

    assert ran.result.result == {
        "error": "Tool not found: github__create_issue. The MCP server github cannot be used now. "
        "It did not answer."
    }
    assert "jira__create_issue" in other.result.result["error"]
