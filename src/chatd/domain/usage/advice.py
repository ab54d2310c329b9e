"""What counts as a use of the advisor: an advice that was given, and nothing else."""

from chatd.domain.call import CallResult

ADVISOR = "advisor"
# The `type` of a result.
ADVICE, LIMIT_REACHED, ERROR = "advice", "limit_reached", "error"


def uses_of(tool: str, outcome: CallResult) -> int:
    """Told from the result alone: so it is the same after a crash, and for a call that was interrupted."""
    if tool != ADVISOR or outcome.is_error or not isinstance(outcome.result, dict):
        return 0
    return int(outcome.result.get("type") == ADVICE)
