"""What a runner does in each status: a table."""

from collections.abc import Awaitable, Callable, Mapping

from chatd.agent.await_client import await_client
from chatd.agent.desk import Hold
from chatd.agent.save_interrupted import save_interrupted
from chatd.agent.step import run_turn
from chatd.domain.chat import Chat, Status

Duty = Callable[[Hold], Awaitable[None]]

DUTIES: Mapping[Status, Duty] = {
    Status.RUNNING: run_turn,
    Status.INTERRUPTING: save_interrupted,
    Status.REQUIRES_ACTION: await_client,
}


def duty_of(chat: Chat) -> Duty | None:
    """None: there is nothing to do, and the chat is to be given back."""
    if chat.archived or (chat.status is Status.REQUIRES_ACTION and chat.deadline_at is None):
        return None
    return DUTIES.get(chat.status)
