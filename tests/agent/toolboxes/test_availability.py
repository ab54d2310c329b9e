"""Which tools the kinds of chats have."""

from typing import cast

import pytest
from msgspec.structs import replace

from chatd.agent.toolboxes.availability import AVAILABLE, WHY_INACTIVE
from chatd.agent.toolboxes.toolboxes import Toolboxes, ToolGroup
from chatd.domain.call import CallState, Effect
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.part import Json
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.chat_kind import ChatKind, kind_of
from chatd.domain.setup import NO_SETUP, ClientTool, Setup
from chatd.kit.clock import SystemClock
from chatd.mcp.tools.offered import McpTools, Offered
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.transactions.transact import Store
from chatd.tools.agents import agent_tools
from chatd.tools.agents.agents import Agents
from chatd.tools.arguments import typed
from chatd.tools.asking import asking_tools
from chatd.tools.files import file_tools
from chatd.tools.processes import process_tools
from chatd.tools.rehearsal import Nothing, rehearsal_tools
from chatd.tools.tool import AnyTool, Setting, Tool
from chatd.tools.toolbox import Toolbox
from chatd.tools.web import web_tools
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import call

ROOT = ModelChat().chat
CHILD = replace(ROOT, parent_id=ChatId("parent"))
EXPLORER = replace(CHILD, agent_type=AgentType.EXPLORE)
ACTING = replace(NO_SETUP, workspace="/somewhere", client_tools=(ClientTool(name="tab"),))
PLANNING = replace(ACTING, mode="plan")

GROUPS = (
    ToolGroup(tools=(*file_tools(), *process_tools(SystemClock())), needs_workspace=True),
    ToolGroup(tools=asking_tools(), needs_workspace=True, or_plans=True),
    ToolGroup(tools=web_tools(SystemClock())),
    ToolGroup(tools=agent_tools(Agents(store=cast("Store", None), clock=SystemClock()))),
    ToolGroup(tools=rehearsal_tools(None, SystemClock()), provider="scripted"),
)
DELEGATION = {"spawn_agent", "wait_agent", "message_agent", "interrupt_agent", "list_agents"}


async def _do_nothing(_: Nothing, __: Setting) -> Json:
    return None


def of_a_server(name: str) -> AnyTool:
    return Tool(name=name, description="", arguments=typed(Nothing), effect=Effect.ONCE, run=_do_nothing)


async def mcp_tools(_: Chat, __: Setup) -> McpTools:
    marked = Offered(tool=of_a_server("s__look"), server="s", schema_bytes=10, in_plan_mode=True)
    other = Offered(tool=of_a_server("s__change"), server="s", schema_bytes=10)
    return McpTools(offered=(marked, other))


async def toolbox_of(chat: Chat, setup: Setup) -> Toolbox:
    return await Toolboxes(GROUPS, mcp_tools=mcp_tools).of(chat, ScriptedModel(SystemClock()), setup)


async def offered(chat: Chat, setup: Setup) -> set[str]:
    return {spec.name for spec in (await toolbox_of(chat, setup)).specs()}


@pytest.mark.parametrize(
    ("chat", "setup", "kind"),
    [
        (ROOT, NO_SETUP, ChatKind.ROOT),
        (ROOT, PLANNING, ChatKind.PLANNING_ROOT),
        (CHILD, NO_SETUP, ChatKind.GENERAL_CHILD),
        (CHILD, PLANNING, ChatKind.PLANNING_CHILD),
        (EXPLORER, NO_SETUP, ChatKind.EXPLORE_CHILD),
    ],
)
def test_the_kind_of_a_chat_follows_from_its_parent_and_its_mode(
    chat: Chat, setup: Setup, kind: ChatKind
) -> None:
    assert kind_of(chat, setup) is kind


def test_every_kind_of_chat_can_say_why_a_tool_is_not_active() -> None:
    assert set(WHY_INACTIVE) == set(ChatKind)


async def test_a_chat_that_acts_has_every_tool() -> None:
    names = await offered(ROOT, ACTING)

    assert {"write_file", "edit_files", "execute", "process_signal", "launch", "tab", "s__change"} <= names


async def test_a_chat_that_plans_has_what_looks_and_nothing_that_acts() -> None:
    root, child = await offered(ROOT, PLANNING), await offered(CHILD, PLANNING)

    assert {"read_file", "find_files", "search_files", "attach_file", "echo"} <= root
    assert not {"process_signal", "process_input", "process_list", "launch", "tab"} & root
    assert "read_file" in child
    assert not {"write_file", "edit_files", "attach_file", "launch", "tab"} & child


@proves("mcp-skills-hooks", 34)
async def test_in_plan_mode_a_root_has_the_mcp_tools_that_are_let_in_and_a_child_has_none() -> None:
    assert {name for name in await offered(ROOT, PLANNING) if "__" in name} == {"s__look"}
    assert not {name for name in await offered(CHILD, PLANNING) if "__" in name}


@proves("tools", 4)
@pytest.mark.parametrize("name", ["process_signal", "launch", "s__change", "tab"])
async def test_in_plan_mode_a_call_of_a_tool_that_acts_is_answered_that_it_is_not_active(name: str) -> None:
    plan = (await toolbox_of(ROOT, PLANNING)).plan(call("c", name))

    assert plan.state is CallState.DENIED
    assert plan.reason is not None
    assert plan.reason.startswith(f"Tool not active: {name}. This chat is in plan mode")


def test_every_tool_of_a_workspace_has_its_row() -> None:
    assert {tool.name for group in GROUPS if group.needs_workspace for tool in group.tools} <= set(AVAILABLE)


async def test_a_person_is_asked_in_roots_with_a_workspace_and_in_those_that_plan() -> None:
    without = replace(NO_SETUP, client_tools=())

    assert "ask_user_question" in await offered(ROOT, ACTING)
    assert "ask_user_question" in await offered(ROOT, replace(without, mode="plan"))
    assert "ask_user_question" not in await offered(ROOT, without)
    assert "ask_user_question" not in await offered(CHILD, PLANNING)


@proves("tools", 67)
@proves("subagents", 2, 4)
async def test_only_a_chat_that_works_for_no_other_has_agents() -> None:
    assert await offered(ROOT, ACTING) >= DELEGATION
    for child, setup in ((CHILD, ACTING), (CHILD, PLANNING), (EXPLORER, ACTING)):
        assert not await offered(child, setup) & DELEGATION
    planning = await offered(ROOT, PLANNING)
    assert planning & DELEGATION == {"spawn_agent", "wait_agent", "list_agents"}


@proves("tools", 68)
async def test_a_child_that_explores_has_what_changes_nothing() -> None:
    names = await offered(EXPLORER, ACTING)

    assert {name for name in names if "__" in name} == {"s__look"}
    assert {"read_file", "find_files", "search_files"} <= names
    assert not names & {"write_file", "edit_files", "attach_file", "launch", "tab", "ask_user_question"}


@proves("tools", 68)
async def test_tools_of_the_provider_are_for_chats_that_act_or_explore_and_not_for_those_that_plan() -> None:
    chats = [(ROOT, ACTING), (CHILD, ACTING), (EXPLORER, ACTING), (ROOT, PLANNING), (CHILD, PLANNING)]

    found = [(await toolbox_of(chat, setup)).provider_tools for chat, setup in chats]

    assert found == [True, True, True, False, False]
