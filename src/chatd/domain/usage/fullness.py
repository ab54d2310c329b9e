"""How full a model's context is, and whether a summary would make room (pure).

Three numbers decide: how large the next prompt will be, how large one would be right after a summary, and how
much the model takes. A summary is made when the context is full *and* enough was said since the last one, so
that a threshold below what every prompt begins with costs some summaries more, and never a chat.
"""

from typing import Protocol

from msgspec import Struct

from chatd.domain.decision.projection import Projection, calibrated

# From this share of the context on a history is summarized; the whole of it means never.
COMPACT_AT_PERCENT = 70
NEVER_PERCENT = 100
# By our own estimate the next prompt would hardly fit, and leave no room for a reply.
OVERFLOW_PERCENT = 90
# So much of the context must have been said since the last summary for another one to be worth its price.
WORTH_PERCENT = 10
# From this share of the context on, by our estimate, a model may be shown less than was said.
SHORTENED_FROM_PERCENT = 50


class Window(Protocol):
    """What is known of the chat's model and the summarizer: see `Limits`."""

    @property
    def context_limit(self) -> int: ...
    @property
    def summarizer_limit(self) -> int: ...
    @property
    def compact_at_percent(self) -> int: ...
    @property
    def fixed_tokens(self) -> int: ...
    @property
    def refused_percent(self) -> int: ...


class Fullness(Struct, frozen=True, kw_only=True):
    # The next prompt, by the newest report and our estimate of what came after it.
    next_tokens: int
    # What was reported of the newest prompt; 0: nothing since the summary.
    reported_tokens: int
    # A prompt that holds nothing but tools, system and summary.
    least_tokens: int
    # How much the model takes; 0: unknown.
    limit: int
    threshold_percent: int
    # Whether the agent has worked since the summary, or at all.
    has_work: bool


def fullness(known: Projection, window: Window) -> Fullness:
    """How full the context of the chat's own model is."""
    fixed = calibrated(window.fixed_tokens, known.calibration_percent)
    least = calibrated(known.boundary_tokens, known.calibration_percent) + fixed
    estimated = known.estimated_tokens + (0 if known.prompt_tokens else fixed)
    # What a refusal has told of our estimates counts for the whole prompt: no report has corrected it yet.
    refused = calibrated(known.said_tokens + window.fixed_tokens, window.refused_percent)
    return Fullness(
        next_tokens=max(estimated, refused),
        reported_tokens=known.prompt_tokens,
        # Before there is a summary, no prompt was as short as one would be after it.
        least_tokens=(known.first_prompt_tokens if known.boundary else 0) or least,
        limit=context_limit(known.context_limit, window),
        threshold_percent=window.compact_at_percent,
        # The first message is the user's, or the summary.
        has_work=known.messages_since_boundary > 1,
    )


def is_too_long(known: Projection, window: Window) -> bool:
    """For the chat's model, or for the summarizer, which has to be able to read the history.

    Where even a summary is too long for the summarizer, only the limit of the chat's own model counts.
    """
    own = fullness(known, window)
    if _is_too_long(own):
        return True
    theirs = window.summarizer_limit
    if not 0 < theirs < (own.limit or theirs + 1):
        return False
    smaller = Fullness(
        next_tokens=own.next_tokens,
        reported_tokens=own.reported_tokens,
        least_tokens=own.least_tokens,
        limit=theirs,
        threshold_percent=own.threshold_percent,
        has_work=own.has_work,
    )
    return not _reaches(smaller.least_tokens, smaller) and _is_too_long(smaller)


def may_be_shortened(known: Projection, limit: int) -> bool:
    """Whether there may be something in the chat that a model which takes so much is not shown."""
    return known.boundary > 0 or 0 < limit * SHORTENED_FROM_PERCENT <= known.said_tokens * 100


def context_limit(reported: int, window: Window) -> int:
    """The model's own, when we know it: what a provider reported may have been another model's."""
    return window.context_limit or reported


def overflows(full: Fullness) -> bool:
    """The next prompt would hardly fit, by our own estimate: something long came since the last report."""
    return _is_overfull(full.next_tokens, full.limit)


def _is_overfull(tokens: int, limit: int) -> bool:
    return 0 < limit * OVERFLOW_PERCENT <= tokens * 100


def _is_too_long(full: Fullness) -> bool:
    if full.threshold_percent >= NEVER_PERCENT or full.limit <= 0:
        return False
    is_worth_it = (full.next_tokens - full.least_tokens) * 100 >= full.limit * WORTH_PERCENT
    if overflows(full):
        # What every prompt begins with fills the context already: no summary makes room in it. But a prompt
        # is shortened until it fits, and an agent that is not shown what it has done does it again.
        return is_worth_it or full.has_work or not _is_overfull(full.least_tokens, full.limit)
    return _reaches(full.reported_tokens, full) and is_worth_it


def _reaches(tokens: int, full: Fullness) -> bool:
    return tokens > 0 and tokens * 100 >= full.limit * full.threshold_percent
