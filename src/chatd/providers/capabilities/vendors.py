"""Who runs a model, by the names that OpenTelemetry's conventions have for providers of generative AI."""

from collections.abc import Mapping
from typing import Final

from chatd.catalog.models.rows import ProviderType
from chatd.providers.capabilities.target import Target

_VERTEX: Final = "gcp.vertex_ai"
# The other types are ways to reach models of anybody: there the name that an administrator gave says most.
_VENDORS: Final[Mapping[str, str]] = {
    ProviderType.ANTHROPIC: "anthropic",
    ProviderType.OPENAI: "openai",
    ProviderType.AZURE: "azure.ai.openai",
    ProviderType.GOOGLE: "gcp.gemini",
    ProviderType.BEDROCK: "aws.bedrock",
}


def vendor_of(target: Target) -> str:
    return _VERTEX if target.route == "vertex" else _VENDORS.get(target.type, target.provider)
