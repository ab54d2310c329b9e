"""A worker says that it will try again, and when."""

from msgspec import Struct

from chatd.domain.chat import RetryState
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat


class RecordRetry(Struct, frozen=True, kw_only=True):
    retry: RetryState


def record_retry(_: LockedChat, command: RecordRetry) -> Change:
    return Change(retry=command.retry)
