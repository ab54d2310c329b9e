"""Faster or cheaper service, which OpenAI has for some of its models only (pure)."""

from collections.abc import Mapping

from msgspec import Struct

from chatd.providers.capabilities.target import Target


class _Tier(Struct, frozen=True):
    """Which models are served in it: how their names begin, and what these must not contain."""

    begins: tuple[str, ...]
    without: tuple[str, ...]


# The other tiers are for every model.
_TIERS: Mapping[str, _Tier] = {
    "flex": _Tier(("o3", "o4-mini", "gpt-5", "gpt-6"), ("chat",)),
    "priority": _Tier(("o3", "o4-mini", "gpt-4", "gpt-5", "gpt-6"), ("chat", "nano")),
}


def service_tier(tier: str | None, target: Target, warnings: list[str]) -> str | None:
    """The tier, unless the model is not served in it."""
    model = target.model
    # Deployments of Azure are named by people, and tell nothing.
    served = None if target.route == "azure" else _TIERS.get(tier or "")
    if served and (not model.startswith(served.begins) or any(word in model for word in served.without)):
        warnings.append(f"{model} is not served in the service_tier {tier}; it was left out.")
        return None
    return tier
