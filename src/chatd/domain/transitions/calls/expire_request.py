"""The client did not answer in time. A person may take as long as they like."""

from msgspec import Struct

from chatd.domain.call import awaits_client, awaits_person
from chatd.domain.chat import Status
from chatd.domain.decision.answers import closing
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import steering_in
from chatd.errors import NotAllowed

EXPIRED = "The client did not answer in time."


class ExpireRequest(Struct, frozen=True, kw_only=True):
    reason: str = EXPIRED


def expire_request(locked: LockedChat, command: ExpireRequest) -> Change:
    late = [call for call in locked.calls if awaits_client(call)]
    if not late:
        raise NotAllowed("nothing_to_expire", "The chat does not wait for a client.")
    deadline = locked.chat.deadline_at
    if deadline is not None and locked.now < deadline:
        raise NotAllowed("not_expired", "The client still has time to answer.")
    person = any(awaits_person(call) for call in locked.calls)
    change = Change(
        execution=Execution(status=Status.REQUIRES_ACTION if person else Status.RUNNING),
        append=closing(locked, late, command.reason),
    )
    return change if person else steering_in(locked, change)
