"""Context limits that providers told when they refused a prompt (pure).

An administrator may set a larger one than the provider has, or a server may be started with a smaller one
than its model is known for. What was learned holds until the settings of the model change.
"""

from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.rows import ModelConfig, ModelId
from chatd.kit.codec import encode

# No model that is worth calling has less: a smaller number in a refusal counts something else.
LIMIT_TOKENS_MIN = 1_000
# Models of which one is kept; those that were learned first go first.
LEARNED_MAX = 1_000


class LearnedLimit(Struct, frozen=True, kw_only=True):
    model_id: ModelId
    tokens: int
    # A check sum of the model's settings when it was learned.
    settings: str


class LearnedLimits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """At most one for each model; the newest last."""

    limits: tuple[LearnedLimit, ...] = ()


def with_limit(known: LearnedLimits, config: ModelConfig, tokens: int) -> LearnedLimits | None:
    """With what the provider told; None when that is nothing new."""
    if tokens < LIMIT_TOKENS_MIN or tokens >= limit_of(known, config):
        return None
    others = [limit for limit in known.limits if limit.model_id != config.id]
    learned = LearnedLimit(model_id=config.id, tokens=tokens, settings=_check_sum(config))
    return LearnedLimits(limits=(*others[-(LEARNED_MAX - 1) :], learned))


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


def _check_sum(config: ModelConfig) -> str:
    """Of what a call is made with: neither the name that people see nor which model is the default counts."""
    settings = (config.provider_id, config.model, config.context_limit, config.options)
    return sha256(encode(settings)).hexdigest()[:32]
