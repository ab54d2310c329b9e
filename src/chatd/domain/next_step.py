"""What a running chat should do now.

Facts first: `read_turn` gathers what is true. Then `next_step` decides, and the order of its
rules is the policy. Neither reads a history: the projection and the ledger know enough.
"""

from typing import TypeAlias

from msgspec import Struct

from chatd.domain.call import Call, Kind, awaits_action, is_ours
from chatd.domain.chat import Chat, Reason
from chatd.domain.limits import CLIENT_ANSWER_SECONDS, STEPS_MAX
from chatd.domain.message import Role
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.usage.fullness import COMPACT_AT_PERCENT, is_too_long


class Limits(Struct, frozen=True, kw_only=True):
    """What the chat's model and the operator allow."""

    steps_max: int = STEPS_MAX
    # 0: unknown; then what the provider reported counts.
    context_limit: int = 0
    # The context limit of the summarizer, if that is not the chat's own model. 0: it is, or it is unknown.
    summarizer_limit: int = 0
    compact_at_percent: int = COMPACT_AT_PERCENT
    # What every prompt begins with, by our estimate: the server's own words and the tools.
    fixed_tokens: int = 0
    # What a provider that refused a prompt counted for each hundred tokens of our estimate; 0: none has.
    refused_percent: int = 0
    # Tools that must be the only call of their step.
    exclusive_tools: frozenset[str] = frozenset()
    # How long a client may take to run its tools; None: as long as it likes.
    client_seconds: int | None = CLIENT_ANSWER_SECONDS


class RunTools(Struct, frozen=True):
    calls: tuple[Call, ...]


class Compact(Struct, frozen=True, kw_only=True):
    requested: bool


class Generate(Struct, frozen=True):
    pass


NextStep: TypeAlias = RunTools | RequireAction | Compact | FinishTurn | Generate


class Turn(Struct, frozen=True, kw_only=True):
    """The facts that the decision needs, and no others."""

    our_calls: tuple[Call, ...] = ()
    waits_for_action: bool = False
    client_seconds: int | None = CLIENT_ANSWER_SECONDS
    compaction_requested: bool = False
    ending: bool = False
    last_speaker: Role | None = Role.USER
    # The last reply is to be gone on with; or was as long as it may be.
    paused: bool = False
    cut_off: bool = False
    steps_left: int = STEPS_MAX
    # The context is filling up; what was said since the last summary, besides the newest message, and whether
    # the agent has said some of it.
    too_long: bool = False
    has_older_to_compact: bool = False
    replied_since_summary: bool = False


def read_turn(chat: Chat, calls: tuple[Call, ...], limits: Limits) -> Turn:
    """The facts, from what is on the chat's row and in its ledger."""
    known = chat.projection
    ours = tuple(call for call in calls if is_ours(call))
    if _is_void(calls, limits.exclusive_tools):
        # All are answered with an error, also those of a client, and those that a person would be asked for.
        ours = calls
    return Turn(
        our_calls=ours,
        waits_for_action=any(awaits_action(call) for call in calls),
        client_seconds=limits.client_seconds,
        compaction_requested=chat.compaction_requested_at is not None,
        ending=known.ending,
        last_speaker=known.last_role,
        paused=known.paused,
        cut_off=known.cut_off,
        steps_left=max(0, limits.steps_max - known.steps),
        too_long=is_too_long(known, limits),
        # The newest message is not summed up alone: the agent has not answered it yet.
        has_older_to_compact=known.messages_since_boundary > 1,
        replied_since_summary=known.replies_since_boundary > 0,
    )


def _is_void(calls: tuple[Call, ...], exclusive: frozenset[str]) -> bool:
    """A tool that must be alone is not, so no call of this reply may run."""
    return len(calls) > 1 and any(call.kind is Kind.LOCAL and call.tool in exclusive for call in calls)


def next_step(turn: Turn) -> NextStep:
    """The first rule that fits wins."""
    match turn:
        case Turn(our_calls=(_, *_) as calls):
            return RunTools(calls)
        case Turn(waits_for_action=True, client_seconds=client_seconds):
            return RequireAction(client_seconds=client_seconds)
        case Turn(compaction_requested=True, replied_since_summary=True):
            return Compact(requested=True)
        case Turn(ending=True):
            return FinishTurn(reason=Reason.STOP_AFTER_TOOL)
        case Turn(last_speaker=Role.ASSISTANT, paused=False, cut_off=cut_off):
            return FinishTurn(reason=Reason.MAX_TOKENS if cut_off else Reason.COMPLETE)
        case Turn(steps_left=0):
            return FinishTurn(reason=Reason.MAX_STEPS)
        case Turn(too_long=True, has_older_to_compact=True):
            return Compact(requested=False)
        case _:
            return Generate()
