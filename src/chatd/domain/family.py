"""Families: a chat and the chats that work for it, its children.

A child never has children of its own. It is created by a call of its parent, and by this call only once: its
id follows from the call.
"""

import hashlib
from collections.abc import Mapping, Sequence

from msgspec import Struct

from chatd.domain.call import find
from chatd.domain.chat import Chat, Status
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import AT_REST
from chatd.domain.ids import CallId, ChatId, MessageId
from chatd.domain.limits import CHILDREN_AT_WORK_MAX, CHILDREN_MAX
from chatd.domain.transitions import Command
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.chat.change_access import ChangeAccess
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import LimitReached, NotAllowed

# The commands for each member; one that is not named is left alone.
Commands = Mapping[ChatId, Sequence[Command]]

# The tools with which an agent has to do with the chats that work for it; a test compares.
AGENT_TOOLS = frozenset(
    {
        "spawn_agent",
        "wait_agent",
        "message_agent",
        "interrupt_agent",
        "close_agent",
        "merge_agent",
        "list_agents",
        "list_subagent_models",
    }
)

WITHOUT_AGENTS = "Finish the work without agents, and tell the user."


class SpawnCall(Struct, frozen=True, kw_only=True):
    """The call that creates a child."""

    parent_id: ChatId
    message_id: MessageId
    call_id: CallId


class FamilyLimits(Struct, frozen=True, kw_only=True):
    children_max: int = CHILDREN_MAX
    at_work_max: int = CHILDREN_AT_WORK_MAX
    # What all members together may have cost and used before another child is created; None: no bound.
    cost_micros_max: int | None = None
    tokens_max: int | None = None

    @property
    def bound_spending(self) -> bool:
        return self.cost_micros_max is not None or self.tokens_max is not None


def child_id_of(call: SpawnCall) -> ChatId:
    """The same for the same call, so that a call that is run again after a crash finds the child it made."""
    named = "\n".join((call.parent_id, str(call.message_id), call.call_id))
    digest = bytearray(hashlib.sha256(named.encode("utf-8", "surrogatepass")).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return ChatId(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")


def check_spawn(parent: LockedChat, children: Sequence[Chat], call: SpawnCall, limits: FamilyLimits) -> None:
    """Raises Refused when the parent may not have this child now."""
    check_depth(parent.chat)
    is_open = find(parent.calls, call.call_id, call.message_id) is not None
    if parent.chat.status is not Status.RUNNING or not is_open:
        # A worker that was overtaken must not begin what was stopped.
        raise NotAllowed("call_over", "The call that would create this agent is over.")
    check_room(parent.chat, children, limits)


def check_room(parent: Chat, children: Sequence[Chat], limits: FamilyLimits) -> None:
    """Raises LimitReached when there can be no further child now."""
    if len(children) >= limits.children_max:
        raise LimitReached(
            "too_many_agents",
            f"This chat has {len(children)} agents, as many as it may have.",
            limit=limits.children_max,
            hint="Give one that is done something new with message_agent.",
        )
    busy = sum(not is_done(child) for child in children)
    if busy >= limits.at_work_max:
        raise LimitReached(
            "too_many_agents_at_work",
            f"{busy} agents of this chat are at work, as many as may be at once.",
            limit=limits.at_work_max,
            hint="Wait for one of them with wait_agent.",
        )
    check_spent((parent, *children), limits)


def check_depth(parent: Chat) -> None:
    if parent.parent_id is not None:
        raise NotAllowed("too_deep", "This chat works for another one, and cannot have agents of its own.")


def check_spent(family: Sequence[Chat], limits: FamilyLimits) -> None:
    """Raises LimitReached when a family has cost or used as much as it may.

    A call without a known price costs nothing: such a model is mostly one of the operator's own. Its tokens
    count as those of every other.
    """
    spent = sum(member.totals.cost_micros for member in family)
    if limits.cost_micros_max is not None and spent >= limits.cost_micros_max:
        raise LimitReached(
            "family_cost",
            f"This chat and its agents have cost {spent / 1_000_000:.2f}, and may cost "
            f"{limits.cost_micros_max / 1_000_000:.2f}.",
            limit=limits.cost_micros_max,
            hint=WITHOUT_AGENTS,
        )
    used = sum(member.totals.usage.all_tokens for member in family)
    if limits.tokens_max is not None and used >= limits.tokens_max:
        raise LimitReached(
            "family_tokens",
            f"This chat and its agents have used {used:,} tokens, and may use {limits.tokens_max:,}.",
            limit=limits.tokens_max,
            hint=WITHOUT_AGENTS,
        )


def archiving(family: Sequence[LockedChat], deed: Archive | Unarchive, others: Sequence[Command]) -> Commands:
    """Put all members away, or take them back. The other commands are for the root, while it is outside."""
    root, archiving = family[0].chat.id, isinstance(deed, Archive)
    commands: dict[ChatId, Sequence[Command]] = {}
    for member in (locked.chat for locked in family):
        if archiving and member.id != root and member.status not in AT_REST:
            raise NotAllowed(
                "agent_at_work",
                f"Cannot archive now: {member.title!r}, which works for this chat, is "
                f"{member.situation.in_words()}.",
                hint="Interrupt the chat first; that stops what works for it as well.",
            )
        asked = others if member.id == root else ()
        moved = () if member.archived is archiving else (deed,)
        # Out of the archive first: what is asked may be to pin it.
        commands[member.id] = (*asked, *moved) if archiving else (*moved, *asked)
    return commands


def sharing(family: Sequence[LockedChat]) -> Commands:
    """All members tell that somebody may do something else with them: each of them may be watched."""
    return {locked.chat.id: (ChangeAccess(),) for locked in family}


def stopping(family: Sequence[LockedChat], command: Interrupt) -> Commands:
    """Stop all members that do something. If none does, the root says why it cannot be stopped."""
    root, *children = (locked.chat for locked in family)
    busy = {child.id: (Interrupt(reason=command.reason),) for child in children if _can_be_stopped(child)}
    if command.message_id is not None or _can_be_stopped(root) or not busy:
        return {root.id: (command,), **busy}
    return busy


def _can_be_stopped(chat: Chat) -> bool:
    return chat.status in (Status.RUNNING, Status.REQUIRES_ACTION)


def is_done(chat: Chat) -> bool:
    """Whether its turn is over: what it has to say is said."""
    return chat.status in AT_REST
