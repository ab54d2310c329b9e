"""The duty of a chat that waits for somebody: watch the client's deadline. A person has none."""

from chatd.agent.desk import Hold
from chatd.domain.transitions.expire_request import ExpireRequest


async def await_client(hold: Hold) -> None:
    """Returns when the deadline has passed and the calls were answered, or at once without a deadline."""
    deadline = hold.chat.deadline_at
    if deadline is None:
        return
    # The transaction looks at the database's clock again; ours only says when to ask.
    seconds = (deadline - hold.desk.clock.now_micros()) / 1_000_000
    if seconds > 0:
        await hold.pause(seconds)
    await hold.commit(ExpireRequest())
