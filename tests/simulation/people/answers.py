"""How users answer what the agent asks for: at once or late, for once or for more; and what they remember."""

import random
from typing import Any

from msgspec import Struct

from tests.simulation.work import asked_command

ALLOWED_SHARE = 0.7
# How often an answer names the message of its call.
NAMED_SHARE = 0.8


class Answered(Struct, frozen=True, kw_only=True):
    """A decision that a user has sent. Whether it arrived, they know only if it was acknowledged."""

    chat_id: str
    message_id: int
    call_id: str
    command: str
    tool: str
    allowed: bool
    scope: str
    # In seconds of the loop, when it was sent.
    at: float


class Forbidden(Struct, frozen=True, kw_only=True):
    """A rule of the user against this very command, and when it was there for sure."""

    command: str
    at: float


class Decisions:
    """Of all users, who are one and the same account."""

    def __init__(self) -> None:
        self.sent: list[Answered] = []
        self.acknowledged: list[Answered] = []
        self.forbidden: list[Forbidden] = []


def decided(waiting: Any, chat_id: str, chance: random.Random, now: float) -> Answered:
    """What a user makes of a question."""
    # What is written to a file has a name of its own, so nothing beyond it is worth a rule.
    is_command = "command" in waiting["args"]
    scopes = [each["scope"] for each in waiting["approval"]["scopes"]] if is_command else ["once"]
    allowed = chance.random() < ALLOWED_SHARE
    return Answered(
        chat_id=chat_id,
        message_id=waiting["message_id"],
        call_id=waiting["tool_call_id"],
        command=asked_command(waiting),
        tool=waiting["tool_name"],
        allowed=allowed,
        scope=chance.choice(scopes) if allowed else "once",
        at=now,
    )


def as_action(answer: Answered, chance: random.Random) -> dict[str, Any]:
    named = {"message_id": answer.message_id} if chance.random() < NAMED_SHARE else {}
    decision = "allow" if answer.allowed else "deny"
    return {"tool_call_id": answer.call_id, "decision": decision, "scope": answer.scope, **named}
