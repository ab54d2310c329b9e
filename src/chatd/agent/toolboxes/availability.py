"""Which kinds of chat have which tools: one row for each tool, and rules for those without one (pure)."""

from collections.abc import Mapping

from chatd.domain.call import Effect
from chatd.domain.profile.chat_kind import ChatKind
from chatd.mcp.tools.offered import Offered
from chatd.tools.tool import AnyTool

Kinds = frozenset[ChatKind]

EVERY: Kinds = frozenset(ChatKind)
# Those that may change something.
ACTING: Kinds = frozenset({ChatKind.ROOT, ChatKind.GENERAL_CHILD})
ROOTS: Kinds = frozenset({ChatKind.ROOT, ChatKind.PLANNING_ROOT})

AVAILABLE: Mapping[str, Kinds] = {
    "read_file": EVERY,
    "find_files": EVERY,
    "search_files": EVERY,
    # In plan mode they write the plan, and nothing else: `gate.py`.
    "write_file": ACTING | ROOTS,
    "edit_files": ACTING | ROOTS,
    "attach_file": ACTING | ROOTS,
    # Where nothing is to change, in a sandbox that cannot, or with a person's approval: `gate.py`.
    "execute": EVERY,
    "process_output": EVERY,
    "process_list": ACTING,
    "process_input": ACTING,
    "process_signal": ACTING,
    "ask_user_question": ROOTS,
    "propose_plan": frozenset({ChatKind.PLANNING_ROOT}),
    # It asks for each host, whatever the chat is.
    "fetch_url": EVERY,
    # Where administrators want it, which `agent/advisor` knows.
    "advisor": ACTING,
    "read_message": EVERY,
    "read_skill": EVERY,
    "read_skill_file": EVERY,
    # A child has no agents of its own. One that plans may have others look, and disturbs none that work.
    "spawn_agent": ROOTS,
    "wait_agent": ROOTS,
    "list_agents": ROOTS,
    "list_subagent_models": ROOTS,
    "message_agent": frozenset({ChatKind.ROOT}),
    "interrupt_agent": frozenset({ChatKind.ROOT}),
    "close_agent": frozenset({ChatKind.ROOT}),
    "merge_agent": frozenset({ChatKind.ROOT}),
}
# Those that the provider of a model runs itself, such as its web search.
PROVIDER_TOOLS: Kinds = ACTING | {ChatKind.EXPLORE_CHILD}
# Their effects are known to the client alone.
CLIENT_TOOLS: Kinds = frozenset({ChatKind.ROOT})

WHY_INACTIVE: Mapping[ChatKind, str] = {
    ChatKind.ROOT: "It may not be used in this chat now.",
    ChatKind.PLANNING_ROOT: "This chat is in plan mode, in which nothing but the plan is changed.",
    ChatKind.GENERAL_CHILD: "It may not be used in a chat that works for another.",
    ChatKind.PLANNING_CHILD: "This chat helps to make a plan, and changes nothing.",
    ChatKind.EXPLORE_CHILD: "This chat explores, and changes nothing.",
}


def is_available(tool: AnyTool, kind: ChatKind) -> bool:
    """A tool of ours without a row goes by its effect: what only reads is for every chat."""
    by_effect = EVERY if tool.effect is Effect.READ else ACTING
    return kind in AVAILABLE.get(tool.name, by_effect)


def is_mcp_available(offered: Offered, kind: ChatKind) -> bool:
    """What may not change anything has the tools that are said to change nothing, or are let in."""
    if kind in ACTING:
        return True
    return offered.in_plan_mode and kind is not ChatKind.PLANNING_CHILD
