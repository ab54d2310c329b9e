"""The duty of a chat whose client did not answer in time: go on without it.

No clock of ours is asked. The database found that the time is up, and its clock is asked once more in the
transaction.
"""

from chatd.agent.hold.hold import Hold
from chatd.domain.transitions.calls.expire_request import ExpireRequest


async def expire_request(hold: Hold) -> None:
    await hold.commit(ExpireRequest())
