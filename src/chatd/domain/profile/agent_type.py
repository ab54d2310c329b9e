"""What a chat that works for another one is for."""

from enum import StrEnum


class AgentType(StrEnum):
    # Any piece of work: it has the tools of its parent, but for those that concern people and other agents.
    GENERAL = "general"
    # Looks something up, and changes nothing.
    EXPLORE = "explore"
