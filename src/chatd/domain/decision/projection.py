"""The projection: what a decision needs to know of a history, kept on the chat's row.

It is carried forward message by message in the transaction that adds them, so no
decision ever reads the history, however long it is. `of_history` computes the same from
scratch, for the rare commands that rewrite the past.
"""

from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.ids import MessageId
from chatd.domain.message import Role, Usage, Visibility, is_notice
from chatd.domain.turn_end import TurnEnd

# Below this a prompt is too short to judge our estimates by.
CALIBRATED_FROM_TOKENS = 1_000
# A report outside of these tells of something else than the prompt.
CALIBRATION_PERCENT_MIN = 50
CALIBRATION_PERCENT_MAX = 400


class Head(Protocol):
    """What the projection looks at: a message, or a message without its words."""

    @property
    def id(self) -> MessageId: ...
    @property
    def role(self) -> Role: ...
    @property
    def visibility(self) -> Visibility: ...
    @property
    def compressed(self) -> bool: ...
    @property
    def tokens(self) -> int: ...
    @property
    def usage(self) -> Usage | None: ...
    @property
    def ends_turn(self) -> bool: ...
    @property
    def advisor_uses(self) -> int: ...
    @property
    def paused(self) -> bool: ...
    @property
    def cut_off(self) -> bool: ...
    @property
    def turn_end(self) -> TurnEnd | None: ...


class Counted(Struct, frozen=True, kw_only=True):
    """What the provider of a model counted of a prompt that it refused."""

    model: str
    # For each hundred tokens of our estimate; 0: it has refused none.
    percent: int


class Projection(Struct, frozen=True, kw_only=True):
    # Who spoke last, among the messages that people see and that are no summary.
    last_role: Role | None = None

    # The newest message that people see and that is no notice; whether it tells how its turn ended, and that
    # it failed.
    last_id: MessageId = MessageId(0)
    ended: bool = False
    failed: bool = False

    # Messages of the user.
    turns: int = 0

    # This turn: everything after the newest message of the user.
    turn_start: MessageId = MessageId(0)
    steps: int = 0
    advisor_uses: int = 0
    ending: bool = False
    # The newest reply is only half of one: its provider will go on, or it was too long.
    paused: bool = False
    cut_off: bool = False

    # The newest summary, and what came after it.
    boundary: MessageId = MessageId(0)
    messages_since_boundary: int = 0
    replies_since_boundary: int = 0
    # What every prompt since the boundary begins with, as the provider counted it: tools, system and summary,
    # and nothing that was said after them.
    first_prompt_tokens: int = 0

    # How full the context was at the newest reply, and what the next prompt is about to hold. Until a reply
    # reports, that is without the tools and the server's own words, which only the agent knows.
    prompt_tokens: int = 0
    context_limit: int = 0
    estimated_tokens: int = 0
    # By our own estimate alone: of the system's messages, of these and the summary, of the whole prompt.
    system_tokens: int = 0
    boundary_tokens: int = 0
    said_tokens: int = 0
    # What the provider counted for each hundred tokens of our estimate, at the newest reply that tells.
    calibration_percent: int = 100
    # The same of a prompt that was refused since then, and by which model; 0: none was. No message tells it.
    refused_percent: int = 0
    refused_model: str = ""


def advance(known: Projection, message: Head) -> Projection:
    """The projection once this message has been added. A notice changes nothing."""
    if is_notice(message.role, message.visibility):
        return known
    if message.visibility is not Visibility.MODEL:
        known = with_turn_end(replace(known, last_id=message.id), message.turn_end)
    if message.compressed:
        return _past_compaction(known, message)
    after = known
    if message.visibility is not Visibility.MODEL:
        after = _spoken(after, message)
    if message.visibility is not Visibility.USER:
        after = _prompted(after, message)
    return replace(after, messages_since_boundary=after.messages_since_boundary + 1)


def with_turn_end(known: Projection, end: TurnEnd | None) -> Projection:
    """The projection once the newest message tells this of its turn."""
    return replace(known, ended=end is not None, failed=end is not None and end.error is not None)


def of_history(messages: Iterable[Head]) -> Projection:
    """The projection of a whole history."""
    projection = Projection()
    for message in messages:
        projection = advance(projection, message)
    return projection


def _past_compaction(known: Projection, message: Head) -> Projection:
    if message.visibility is not Visibility.MODEL:
        return known  # The call and the result that show the summary to people.
    return replace(
        known,
        boundary=message.id,
        messages_since_boundary=0,
        replies_since_boundary=0,
        first_prompt_tokens=0,
        prompt_tokens=0,
        context_limit=0,
        estimated_tokens=calibrated(known.system_tokens + message.tokens, known.calibration_percent),
        boundary_tokens=known.system_tokens + message.tokens,
        said_tokens=known.system_tokens + message.tokens,
    )


def _spoken(known: Projection, message: Head) -> Projection:
    """What people see: who spoke, and how far the turn has come."""
    match message.role:
        case Role.USER:
            return replace(
                known,
                last_role=Role.USER,
                turns=known.turns + 1,
                turn_start=message.id,
                steps=0,
                advisor_uses=0,
                ending=False,
                paused=False,
                cut_off=False,
            )
        case Role.ASSISTANT:
            return replace(
                known,
                last_role=Role.ASSISTANT,
                steps=known.steps + 1,
                paused=message.paused,
                cut_off=message.cut_off,
                replies_since_boundary=known.replies_since_boundary + 1,
                advisor_uses=known.advisor_uses + message.advisor_uses,
            )
        case Role.TOOL:
            return replace(
                known,
                last_role=Role.TOOL,
                paused=False,
                cut_off=False,
                ending=known.ending or message.ends_turn,
                advisor_uses=known.advisor_uses + message.advisor_uses,
            )
        case Role.SYSTEM:
            return replace(known, last_role=Role.SYSTEM)


def _prompted(known: Projection, message: Head) -> Projection:
    """What the model will see: how large the next prompt is, and what the newest reply reported."""
    system = known.system_tokens + (message.tokens if message.role is Role.SYSTEM else 0)
    after = replace(
        known,
        estimated_tokens=known.estimated_tokens + calibrated(message.tokens, known.calibration_percent),
        system_tokens=system,
        said_tokens=known.said_tokens + message.tokens,
    )
    usage = message.usage
    if usage is None or not usage.prompt_tokens:
        return after
    first = known.first_prompt_tokens
    if message.role is Role.ASSISTANT and not first:
        since = calibrated(known.said_tokens - known.boundary_tokens, known.calibration_percent)
        first = max(1, usage.prompt_tokens - since)
    return replace(
        after,
        # The provider has counted; our guess begins anew from here.
        estimated_tokens=usage.prompt_tokens + usage.output_tokens,
        prompt_tokens=usage.prompt_tokens,
        context_limit=usage.context_limit,
        first_prompt_tokens=first,
        calibration_percent=_calibration(usage) or known.calibration_percent,
        refused_percent=0,
        refused_model="",
    )


def rewritten(before: Projection, messages: Iterable[Head]) -> Projection:
    """The projection of another history of the same chat. What a refusal has told is in no message."""
    return replace(
        of_history(messages), refused_percent=before.refused_percent, refused_model=before.refused_model
    )


def with_counted(known: Projection, counted: Counted | None) -> Projection:
    """The projection once this was told. Of several refusals of one model the worst counts."""
    if counted is None or not counted.percent:
        return known
    before = known.refused_percent if known.refused_model == counted.model else 0
    return replace(known, refused_percent=max(before, counted.percent), refused_model=counted.model)


def refused_percent(known: Projection, model: str) -> int:
    """What is known of this model. Rows of before this was kept do not name one, and count for all."""
    return known.refused_percent if known.refused_model in ("", model) else 0


def calibrated(tokens: int, percent: int) -> int:
    """Our estimate, corrected by what the provider counted before."""
    return tokens * percent // 100


def _calibration(usage: Usage) -> int | None:
    """None: it is not told, or the prompt was too short to judge by."""
    if usage.context_estimate < CALIBRATED_FROM_TOKENS:
        return None
    percent = usage.prompt_tokens * 100 // usage.context_estimate
    return min(max(percent, CALIBRATION_PERCENT_MIN), CALIBRATION_PERCENT_MAX)
