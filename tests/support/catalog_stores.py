"""A catalog for tests that need models by name, and one who pretends to have called them."""

from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.models.declared import ModelDeclaration, ProviderDeclaration, declare
from chatd.catalog.models.options import CallOptions, EffortRange
from chatd.catalog.models.probe import ProbeResult
from chatd.catalog.models.rows import ProviderType
from chatd.catalog.models.store import CatalogStore
from chatd.domain.message import Effort
from chatd.storage.transactions.transact import Store

SOME = ProviderDeclaration(name="some", type=ProviderType.OPENAI_COMPATIBLE, base_url="http://127.0.0.1:9/v1")
OTHER = ProviderDeclaration(name="other", type=ProviderType.ANTHROPIC, api_key="sk-of-the-operator-0123")
# One may be told how hard to think, the other not.
EFFORTS = CallOptions(reasoning_effort=EffortRange(default=Effort.LOW, max=Effort.MAX))
MODELS = [
    ModelDeclaration(provider="some", model="model", context_limit=1000, options=EFFORTS),
    ModelDeclaration(provider="other", model="model", context_limit=1000),
]


def some_catalog_store(store: Store) -> CatalogStore:
    """The models some/model, other/model and scripted/scripted."""
    return CatalogStore(store, declare([SOME, OTHER], MODELS), Secrets(bytes(32)))


class FakeProber:
    def __init__(self) -> None:
        self.probed: list[str] = []
        self.fails = False
        self.says = "It said: hello"

    async def probe(self, model_name: str) -> ProbeResult:
        self.probed.append(model_name)
        if self.fails:
            return ProbeResult(model=model_name, is_well=False, says="The key was rejected.", kind="auth")
        return ProbeResult(model=model_name, is_well=True, says=self.says, milliseconds=12)
