"""What came of a call, as the history has it."""

from collections.abc import Sequence

from chatd.domain.call import Call
from chatd.domain.message import Message, Role
from chatd.domain.part import ToolResult


def answer_to(call: Call, messages: Sequence[Message]) -> ToolResult | None:
    """The first result of this id after the message that made the call."""
    for message in messages:
        if message.id > call.message_id and message.role is Role.TOOL:
            for part in message.content:
                if isinstance(part, ToolResult) and part.tool_call_id == call.id:
                    return part
    return None
