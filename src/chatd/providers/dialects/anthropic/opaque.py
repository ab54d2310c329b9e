"""Names of what only the provider understands and wants back, as we keep it in `internal`."""

from chatd.providers.request.wire_turn import Thought, TurnPart

# Of thoughts: one or the other.
SIGNATURE = "signature"
REDACTED = "redacted_data"
# Of text.
CITATIONS = "citations"
# Of calls that the provider ran, and of their results.
CALLER = "caller"
# Of a call that the provider ran: its arguments were no object, so it cannot be said again.
BROKEN = "broken"
# Of a whole reply: the provider interrupted itself, and goes on when the conversation is sent again.
PAUSED = "paused"


def is_signed(part: TurnPart) -> bool:
    """Thoughts that the provider recognises as its own, and wants back exactly as they were."""
    return (
        isinstance(part, Thought)
        and isinstance(part.internal, dict)
        and (SIGNATURE in part.internal or REDACTED in part.internal)
    )
