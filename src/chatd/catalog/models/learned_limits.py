"""Context limits that were learned from prompts that providers refused (pure).

An administrator may set a larger one than the provider has, or a server may be started with a smaller one
than its model is known for. What a provider told counts for all users, until the settings of the model
change. One that refuses and tells nothing leaves us to guess. A guess counts for the user whose chat was
refused: users must not be able to narrow a model for others with text of which we estimate too few tokens.
It is raised by what the model takes, and forgotten after a day: it may have been far too low.
"""

from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.models.rows import ModelConfig, ModelId
from chatd.domain.ids import Micros
from chatd.kit.codec import encode

# No model that is worth calling has less: a smaller number in a refusal counts something else.
LIMIT_TOKENS_MIN = 1_000
# Models of which one is kept; those that were learned first go first.
LEARNED_MAX = 1_000
# Of one user.
GUESSED_MAX = 100
GUESS_MICROS = 24 * 3600 * 1_000_000


class LearnedLimit(Struct, frozen=True, kw_only=True):
    model_id: ModelId
    tokens: int
    # A check sum of the model's settings when it was learned.
    settings: str
    # When it was guessed. 0: it was told.
    guessed_at: Micros = Micros(0)


class LearnedLimits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """At most one for each model; the newest last."""

    limits: tuple[LearnedLimit, ...] = ()


def with_limit(known: LearnedLimits, config: ModelConfig, tokens: int) -> LearnedLimits | None:
    """With what the provider told; None when that is nothing new."""
    if tokens < LIMIT_TOKENS_MIN or tokens >= limit_of(known, config):
        return None
    learned = LearnedLimit(model_id=config.id, tokens=tokens, settings=_check_sum(config))
    return _with(known, learned, LEARNED_MAX)


def with_guess(
    known: LearnedLimits, config: ModelConfig, tokens: int, *, now: Micros
) -> LearnedLimits | None:
    """With a guess of ours; None when there is a smaller one, or it cannot be right."""
    if tokens < LIMIT_TOKENS_MIN or tokens >= limit_of(current(known, now), config):
        return None
    guess = LearnedLimit(model_id=config.id, tokens=tokens, settings=_check_sum(config), guessed_at=now)
    return _with(known, guess, GUESSED_MAX)


def with_raised(known: LearnedLimits, config: ModelConfig, tokens: int) -> LearnedLimits | None:
    """With a guess of so many tokens instead of a lower one. None: there is no lower one."""
    raised = tuple(
        replace(each, tokens=tokens) if each.model_id == config.id and each.tokens < tokens else each
        for each in known.limits
    )
    return LearnedLimits(limits=raised) if raised != known.limits else None


def current(guesses: LearnedLimits, now: Micros) -> LearnedLimits:
    """Those that still hold."""
    return LearnedLimits(
        limits=tuple(each for each in guesses.limits if now - each.guessed_at < GUESS_MICROS)
    )


def limit_of(known: LearnedLimits, config: ModelConfig) -> int:
    """How many tokens the model takes, as far as it is known."""
    learned = next((limit for limit in known.limits if limit.model_id == config.id), None)
    if learned is None or learned.settings != _check_sum(config):
        return config.context_limit
    return min(learned.tokens, config.context_limit)


def as_learned(known: LearnedLimits, config: ModelConfig) -> ModelConfig:
    """The model with the limit that counts."""
    limit = limit_of(known, config)
    return config if limit == config.context_limit else replace(config, context_limit=limit)


def _with(known: LearnedLimits, learned: LearnedLimit, most: int) -> LearnedLimits:
    others = [limit for limit in known.limits if limit.model_id != learned.model_id]
    return LearnedLimits(limits=(*others[-(most - 1) :], learned))


def _check_sum(config: ModelConfig) -> str:
    """Of what a call is made with: neither the name that people see nor which model is the default counts."""
    settings = (config.provider_id, config.model, config.context_limit, config.options)
    return sha256(encode(settings)).hexdigest()[:32]
