"""How Gemini says that it is over (pure)."""

from collections.abc import Callable, Mapping
from typing import Final

from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.events import Stop

STOPS: Final[Mapping[str, Stop]] = {
    "STOP": Stop.DONE,
    "MAX_TOKENS": Stop.LENGTH,
    "SAFETY": Stop.REFUSED,
    "BLOCKLIST": Stop.REFUSED,
    "PROHIBITED_CONTENT": Stop.REFUSED,
    "SPII": Stop.REFUSED,
    "RECITATION": Stop.REFUSED,
    "IMAGE_SAFETY": Stop.REFUSED,
    "IMAGE_PROHIBITED_CONTENT": Stop.REFUSED,
    "IMAGE_RECITATION": Stop.REFUSED,
}

# Reasons that are failures: of what sort, and whether another try may end better.
FAULTS: Final[Mapping[str, tuple[Callable[[str], ProviderError], bool]]] = {
    "MALFORMED_FUNCTION_CALL": (failures.malformed, True),
    "UNEXPECTED_TOOL_CALL": (failures.malformed, True),
    "MALFORMED_RESPONSE": (failures.malformed, True),
    "LANGUAGE": (failures.malformed, False),
    "TOO_MANY_TOOL_CALLS": (failures.malformed, False),
    "MISSING_THOUGHT_SIGNATURE": (failures.unsendable, False),
}
