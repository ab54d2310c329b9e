"""The tools for agents: chats that work for this one. In the order in which models are told of them."""

from chatd.tools.agents.agents import Agents
from chatd.tools.agents.interrupt_agent import close_agent, interrupt_agent
from chatd.tools.agents.list_agents import list_agents
from chatd.tools.agents.list_subagent_models import list_subagent_models
from chatd.tools.agents.merge_agent import merge_agent
from chatd.tools.agents.message_agent import message_agent
from chatd.tools.agents.spawn_agent import spawn_agent
from chatd.tools.agents.wait_agent import wait_agent
from chatd.tools.tool import AnyTool


def agent_tools(agents: Agents) -> tuple[AnyTool, ...]:
    return (
        spawn_agent(agents),
        wait_agent(agents),
        message_agent(agents),
        interrupt_agent(agents),
        close_agent(agents),
        merge_agent(agents),
        list_agents(agents),
        list_subagent_models(agents),
    )
