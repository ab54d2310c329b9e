"""Whether a model reasons, and how hard it is asked to (pure)."""

from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.responses.options import options_of
from chatd.providers.dialects.shared.efforts import nearest


def reasons_always(target: Target) -> bool:
    """By itself, whatever is asked."""
    return target.abilities.reasoning not in (Reasoning.NONE, Reasoning.ASKED)


def reasons_now(head: Head, target: Target) -> bool:
    return reasons_always(target) or (
        target.abilities.reasoning is Reasoning.ASKED and head.effort is not None
    )


def reasoning_fields(
    effort: Effort | None, target: Target, warnings: list[str], *, reasons: bool
) -> dict[str, Json]:
    summary = options_of(target).reasoning_summary
    if not reasons:
        if effort not in (None, Effort.NONE):
            warnings.append("This model does not reason; reasoning_effort was left out.")
        if summary is not None:
            warnings.append("This model does not reason; reasoning_summary was left out.")
        return {}
    fields = {"effort": effort and nearest(effort, target.abilities.efforts), "summary": summary}
    return {name: value for name, value in fields.items() if value is not None}
