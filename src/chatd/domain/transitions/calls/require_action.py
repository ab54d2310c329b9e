"""A worker has done all it can: the next move is a client's or a person's."""

from msgspec import Struct

from chatd.domain.call import awaits_action, awaits_client
from chatd.domain.chat import Status
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import SECOND, Micros
from chatd.domain.limits import CLIENT_ANSWER_SECONDS
from chatd.errors import NotAllowed


class RequireAction(Struct, frozen=True, kw_only=True):
    # How long the client may take; None: as long as it likes.
    client_seconds: int | None = CLIENT_ANSWER_SECONDS


def require_action(locked: LockedChat, command: RequireAction) -> Change:
    """A client has a deadline, because programs vanish, unless it wants none. A person has none."""
    if not any(awaits_action(call) for call in locked.calls):
        raise NotAllowed("nothing_to_await", "No open tool call waits for a client or a person.")
    deadline = None
    if command.client_seconds is not None and any(awaits_client(call) for call in locked.calls):
        deadline = Micros(locked.now + command.client_seconds * SECOND)
    return Change(execution=Execution(status=Status.REQUIRES_ACTION, deadline_at=deadline))
