"""Which tools a chat has, and in which order its model is told of them."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from chatd.agent.toolboxes import FindTools, Toolboxes, ToolGroup
from chatd.domain.call import Effect
from chatd.domain.chat import Chat
from chatd.domain.part import Json
from chatd.domain.setup import NO_SETUP, Setup
from chatd.kit.clock import SystemClock
from chatd.providers.model import Model
from chatd.providers.scripted.model import ScriptedModel
from chatd.tools.arguments import typed
from chatd.tools.rehearsal import Nothing
from chatd.tools.tool import AnyTool, Setting, Tool
from tests.model import ModelChat

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
