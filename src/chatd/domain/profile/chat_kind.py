"""What kind of chat it is, by which its tools and its prompt are chosen."""

from enum import StrEnum

from chatd.domain.chat import Chat
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.setup import Setup


class ChatKind(StrEnum):
    ROOT = "root"
    PLANNING_ROOT = "planning_root"
    # They work for another chat.
    GENERAL_CHILD = "general_child"
    PLANNING_CHILD = "planning_child"
    # Looks around, and changes nothing. It does not plan either.
    EXPLORE_CHILD = "explore_child"


PLANNING = frozenset({ChatKind.PLANNING_ROOT, ChatKind.PLANNING_CHILD})


def kind_of(chat: Chat, setup: Setup) -> ChatKind:
    """The one place that tells."""
    plans = setup.mode == "plan"
    if chat.parent_id is None:
        return ChatKind.PLANNING_ROOT if plans else ChatKind.ROOT
    if chat.agent_type is AgentType.EXPLORE:
        return ChatKind.EXPLORE_CHILD
    return ChatKind.PLANNING_CHILD if plans else ChatKind.GENERAL_CHILD
