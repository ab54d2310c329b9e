"""A worker has done all it can: the next move is a client's or a person's."""

from msgspec import Struct

from chatd.domain.call import awaits_action, awaits_client
from chatd.domain.change import Change, Execution
from chatd.domain.chat import Status
from chatd.domain.ids import Micros
from chatd.domain.limits import CLIENT_ANSWER_MICROS
from chatd.domain.locked import LockedChat
from chatd.errors import NotAllowed


class RequireAction(Struct, frozen=True):
    pass


def require_action(locked: LockedChat, _: RequireAction) -> Change:
    """A client has a deadline, because programs vanish. A person has none."""
    if not any(awaits_action(call) for call in locked.calls):
        raise NotAllowed("nothing_to_await", "No open tool call waits for a client or a person.")
    deadline = None
    if any(awaits_client(call) for call in locked.calls):
        deadline = Micros(locked.now + CLIENT_ANSWER_MICROS)
    return Change(execution=Execution(status=Status.REQUIRES_ACTION, deadline_at=deadline))
