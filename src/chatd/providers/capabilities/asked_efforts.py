"""Which efforts are offered for a model: the ones that change its request (pure).

Whether one does depends on the model, on its server, and on what an administrator has pinned. The dialects
know all of that, so they are asked: an effort counts if the request is another one with it.
"""

from chatd.catalog.models.rows import ModelConfig, Provider, ProviderType
from chatd.domain.message import Effort
from chatd.errors import ProviderError
from chatd.providers.capabilities.target import Target
from chatd.providers.dialects.shared.efforts import SCALE
from chatd.providers.model import Request, question
from chatd.providers.registry import dialect_of, target_of
from chatd.providers.request.writer import RequestWriter

_QUESTION = question("?")


def efforts_of(provider: Provider, config: ModelConfig) -> tuple[Effort, ...]:
    """What the model knows, up to what the administrator allows; empty where asking would change nothing."""
    allowed = config.options.reasoning_effort
    if allowed is None or provider.type is ProviderType.SCRIPTED:
        return ()
    try:
        target = target_of(provider, config)
        without = _request(SCALE[0], target)
        if all(_request(effort, target) == without for effort in reversed(SCALE)):
            return ()
    except ProviderError:
        # It cannot be called at all, and the error of the call says why.
        return ()
    known = target.abilities.efforts or target.quirks.efforts or SCALE
    return tuple(each for each in SCALE[: SCALE.index(allowed.max) + 1] if each in known)


def _request(effort: Effort, target: Target) -> bytes:
    return (
        RequestWriter(Request(messages=[_QUESTION], effort=effort), target, dialect_of(target.dialect))
        .write({})
        .json
    )
