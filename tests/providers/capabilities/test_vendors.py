"""Who runs a model, as traces tell it."""

import pytest

from chatd.catalog.models.rows import ProviderType
from chatd.providers.capabilities.target import DialectName, Route, Target
from chatd.providers.capabilities.vendors import vendor_of

NAMED = "as-an-administrator-named-it"


@pytest.mark.parametrize(
    ("type_", "route", "vendor"),
    [
        (ProviderType.ANTHROPIC, "direct", "anthropic"),
        (ProviderType.OPENAI, "direct", "openai"),
        (ProviderType.AZURE, "azure", "azure.ai.openai"),
        (ProviderType.GOOGLE, "direct", "gcp.gemini"),
        (ProviderType.GOOGLE, "vertex", "gcp.vertex_ai"),
        (ProviderType.BEDROCK, "bedrock", "aws.bedrock"),
        (ProviderType.OPENAI_COMPATIBLE, "direct", NAMED),
        (ProviderType.OPENROUTER, "direct", NAMED),
    ],
)
def test_a_provider_that_the_conventions_know_has_their_name(
    type_: ProviderType, route: Route, vendor: str
) -> None:
    target = Target(
        provider_id="row-1",
        provider=NAMED,
        type=type_,
        dialect=DialectName.CHAT,
        model="large",
        route=route,
    )

    assert vendor_of(target) == vendor
