"""How a turn ended: for a reason, or with an error. The last message of the turn tells it for good."""

from enum import StrEnum

from msgspec import Struct

from chatd.domain.ids import Micros


class Reason(StrEnum):
    """Why the last turn ended, when it did not fail."""

    COMPLETE = "complete"
    STOP_AFTER_TOOL = "stop_after_tool"
    MAX_STEPS = "max_steps"
    # The model's last reply reached its output limit, in the middle of what it said.
    MAX_TOKENS = "max_tokens"
    INTERRUPTED = "interrupted"


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a turn stopped, for the person who reads it."""

    message: str
    kind: str = "generic"
    detail: str | None = None
    provider: str | None = None
    retryable: bool = False
    status_code: int | None = None


class TurnEnd(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Either a reason or an error, and when."""

    at: Micros
    reason: Reason | None = None
    error: Failure | None = None
