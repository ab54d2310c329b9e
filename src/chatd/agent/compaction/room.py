"""How much room a prompt has: estimated before it is sent, learned when it was refused."""

import structlog
from msgspec import Struct

from chatd.agent.compaction.fit import fit
from chatd.agent.compaction.refusals import TOO_LONG, RefusedPrompt
from chatd.agent.hold.hold import Hold
from chatd.domain.decision import projection as projections
from chatd.domain.decision.projection import Counted, calibrated
from chatd.domain.usage.fullness import OVERFLOW_PERCENT
from chatd.errors import ProviderError
from chatd.providers.model import Model

log = structlog.get_logger()

# A prompt that would not fit is shortened to this share of the context: the rest is for the reply, and for
# what comes next, so that the same beginning can be sent again.
FIT_PERCENT = 75
# For the reply there is at least this share.
OUTPUT_PERCENT_MIN = 5
# With less of what was said, by our estimate, no prompt is of use.
HISTORY_TOKENS_MIN = 1_000

TOO_LARGE_TO_BEGIN = (
    "The instructions and tools of this chat alone have about {tokens:,} tokens, and its model takes "
    "{limit:,}. `chatd prompt {chat_id}` shows which part is so large. Shorten it, offer fewer tools, or "
    "choose a model with a larger context."
)


class PromptSize(Struct, frozen=True, kw_only=True):
    """Of the next prompt, in tokens."""

    # By our estimate alone.
    raw: int
    # As the provider will count it, as far as we know.
    tokens: int
    # Of what the model takes; 0: unknown.
    limit: int

    @property
    def percent(self) -> int:
        """What the provider counts for each hundred tokens of our estimate."""
        return max(1, self.tokens * 100 // self.raw) if self.raw else 100

    @property
    def output_room(self) -> int | None:
        if not self.limit:
            return None
        return max(self.limit - self.tokens, self.limit * OUTPUT_PERCENT_MIN // 100, 1)


def refused_percent(hold: Hold, model: Model) -> int:
    """What its provider, when it refused a prompt, counted for each hundred tokens of our estimate.

    0: it has refused none. What another server has learned counts as well.
    """
    stored = projections.refused_percent(hold.chat.projection, model.name)
    return max(hold.memory.refusals.percent(model.name), stored)


def counted_by(hold: Hold, model: Model) -> Counted:
    """To be stored with the chat, for whoever drives it after a restart."""
    return Counted(model=model.name, percent=refused_percent(hold, model))


async def prompt_size(hold: Hold, model: Model) -> PromptSize:
    """With the history as it is in memory, and as much of it as the model is shown."""
    known, refusals = hold.chat.projection, hold.memory.refusals
    limit, refused = refusals.limit(model), refused_percent(hold, model)
    raw = await hold.fixed_tokens(model) + hold.memory.prompt_tokens
    tokens = calibrated(raw, max(known.calibration_percent, refused))
    is_counted = known.prompt_tokens > 0 and not refused
    if is_counted and (not limit or tokens < limit):
        # The provider has counted most of it. But not if it was shown less than is in memory now.
        tokens = known.estimated_tokens
    return PromptSize(raw=raw, tokens=tokens, limit=limit)


async def make_prompt_fit(hold: Hold, model: Model) -> PromptSize:
    """Show the model less of what was said, if the next prompt would not fit. What is stored stays."""
    size = await prompt_size(hold, model)
    if not size.limit or size.tokens * 100 < size.limit * OVERFLOW_PERCENT:
        return size
    fixed = size.raw - hold.memory.prompt_tokens
    budget = size.limit * FIT_PERCENT // size.percent - fixed
    hold.memory.show(fit(hold.memory.prompt(), max(1, budget)))
    shown = fixed + hold.memory.prompt_tokens
    log.info("prompt.shortened", chat_id=hold.chat_id, model=model.name, tokens=size.raw, shown=shown)
    return PromptSize(raw=shown, tokens=shown * size.percent // 100, limit=size.limit)


async def learn_refusal(hold: Hold, model: Model, error: ProviderError, size: PromptSize) -> None:
    """So that the next prompt of this chat fits, and that of another is summed up before it is refused."""
    refusals, turn = hold.memory.refusals, hold.chat.projection.turn_start
    refused = RefusedPrompt(
        raw=size.raw,
        tokens=size.tokens,
        accepted=hold.memory.accepted_tokens(model.name),
        least=(await hold.fixed_tokens(model) + HISTORY_TOKENS_MIN) * 100 // FIT_PERCENT,
        turn=turn,
    )
    refusals.learn(model, error, refused)
    log.info("prompt.refused", chat_id=hold.chat_id, model=model.name, context_max=error.context_max)
    try:
        await hold.services.context_limits.note_refused(
            model, hold.chat.owner_id, stated=error.context_max or 0, guessed=refusals.limit(model)
        )
    except Exception:  # Without it, the next refusal tells the same.
        log.warning("context_limit.not_learned", chat_id=hold.chat_id, model=model.name, exc_info=True)


async def too_large_to_begin(hold: Hold, model: Model, error: ProviderError) -> ProviderError | None:
    """Why no shorter history would help: instructions and tools alone are more than the model takes.

    Only if the provider has told its limit, and that was known when the prompt was made: otherwise what may
    be shortened of the instructions has not been yet.
    """
    if not error.context_max or not 0 < model.context_limit <= error.context_max:
        return None
    size, fixed = await prompt_size(hold, model), await hold.fixed_tokens(model)
    if fixed * size.percent // 100 < error.context_max:
        return None
    return ProviderError(
        "config",
        TOO_LARGE_TO_BEGIN.format(
            tokens=fixed * size.percent // 100, limit=error.context_max, chat_id=hold.chat_id
        ),
        fault=TOO_LONG,
        provider=model.provider,
        status_code=error.status_code,
        request_id=error.request_id,
    )


async def learn_accepted(hold: Hold, model: Model, tokens: int) -> None:
    """The provider has counted the prompt of a reply, which tells more than what it refused before."""
    limit = hold.memory.refusals.accept(model, tokens, hold.chat.projection.turn_start)
    if not 0 < model.context_limit < limit:
        return
    try:
        await hold.services.context_limits.raise_guess(model, hold.chat.owner_id, limit)
    except Exception:  # Then it is not known until the next one.
        log.warning("context_limit.not_corrected", chat_id=hold.chat_id, model=model.name, exc_info=True)
