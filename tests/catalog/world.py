"""A catalog over a real database that a test can hold up, count and break."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog import documents
from chatd.catalog.catalog import Catalog, open_catalog
from chatd.catalog.documents import ADVISOR, Advisor
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.models.declared import ModelDeclaration, ProviderDeclaration, declare
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderType
from chatd.catalog.models.store import CatalogStore
from chatd.catalog.remembered import PROMPT_TTL_SECONDS, TTL_SECONDS
from chatd.errors import NotFound
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Body, Database, Pace
from chatd.storage.transactions.transact import Store
from tests.clock import MovedClock
from tests.conftest import OWNER, empty_sqlite

T = TypeVar("T")

SECRETS = Secrets(bytes(32))
DESK = ProviderDeclaration(name="desk", type=ProviderType.OPENAI_COMPATIBLE, base_url="http://127.0.0.1:9/v1")
DECLARED = declare([DESK], [ModelDeclaration(provider="desk", model="fixed")])
DESK_ID = DECLARED.providers[0].id
ONE = ModelConfig(id="one", provider_id=DESK_ID, model="one", context_limit=1000)
ACME = Provider(
    id="acme", type=ProviderType.OPENAI_COMPATIBLE, name="acme", base_url="https://acme.example/v1"
)


async def settle() -> None:
    """Let everything happen that waits for nothing but its turn."""
    for _ in range(20):
        await asyncio.sleep(0)


class HeldDatabase:
    """Reads what is true, and says so when it is allowed to."""

    def __init__(self, inner: Database) -> None:
        self._inner = inner
        self.engine = inner.engine
        self.reads = 0
        self.error: Exception | None = None
        self._open = asyncio.Event()
        self._open.set()

    def hold(self) -> asyncio.Event:
        """Readings from now on wait for this event; those after a further `hold` for another one."""
        self._open = asyncio.Event()
        return self._open

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self.reads += 1
        may_answer, error = self._open, self.error
        value = await self._inner.read(body, pace=pace)
        await may_answer.wait()
        if error is not None:
            raise error
        return value

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._inner.write(body, pace=pace)


class World(Struct, frozen=True):
    catalog: Catalog
    catalog_store: CatalogStore
    db: HeldDatabase
    bus: MemoryBus
    clock: MovedClock


@asynccontextmanager
async def catalogued(template: Path, folder: Path) -> AsyncIterator[World]:
    """A declared provider with two models, one declared and one stored, and a stored provider."""
    clock = MovedClock()
    async with empty_sqlite(template, folder / "chatd.db", clock, inline=True) as inner:
        db, bus = HeldDatabase(inner), MemoryBus()
        catalog_store = CatalogStore(Store(db, bus), DECLARED, SECRETS)
        await catalog_store.add_provider(ACME, None)
        await catalog_store.add_model(replace(ONE, is_default=True))
        async with open_catalog(catalog_store, bus, clock) as catalog:
            db.reads = 0
            yield World(catalog, catalog_store, db, bus, clock)


class Entity(Struct, frozen=True):
    """Something that is remembered: how it is read, as a version, and how the next version is written."""

    name: str
    ttl_seconds: float
    read: Callable[[Catalog], Awaitable[str]]
    change: Callable[[CatalogStore, str], Awaitable[object]]
    at_first: str = ""


async def _provider(catalog: Catalog) -> str:
    return next(each.display_name for each in await catalog.providers() if each.id == ACME.id)


async def _model(catalog: Catalog) -> str:
    return (await catalog.model("desk/one"))[0].display_name


async def _default(catalog: Catalog) -> str:
    return (await catalog.model(None))[0].display_name


async def _listed(catalog: Catalog) -> str:
    return next(each.display_name for each in await catalog.models() if each.id == ONE.id)


async def _base(catalog: Catalog) -> str:
    return await catalog.base_prompt() or ""


async def _advice(catalog: Catalog) -> str:
    return str((await catalog.advisor()).max_uses_per_turn)


def _rename_provider(catalog_store: CatalogStore, name: str) -> Awaitable[object]:
    return catalog_store.change_provider(ACME.id, lambda each: replace(each, display_name=name))


def _rename_model(catalog_store: CatalogStore, name: str) -> Awaitable[object]:
    return catalog_store.change_model(ONE.id, lambda each: replace(each, display_name=name))


PROVIDERS = Entity("providers", TTL_SECONDS, _provider, _rename_provider)
MODEL = Entity("model", TTL_SECONDS, _model, _rename_model)
MODELS = Entity("models", TTL_SECONDS, _listed, _rename_model)
DEFAULT = Entity("default model", TTL_SECONDS, _default, _rename_model)
PROMPT = Entity(
    "user prompt",
    PROMPT_TTL_SECONDS,
    lambda catalog: catalog.prompt_of(OWNER),
    lambda catalog_store, text: catalog_store.documents.save_prompt_of(OWNER, text),
)
DEPLOYMENT = Entity(
    "deployment prompt",
    TTL_SECONDS,
    lambda catalog: catalog.deployment_prompt(),
    lambda catalog_store, text: catalog_store.documents.save(
        documents.PROMPT, documents.PromptDocument(text=text)
    ),
)
BASE = Entity(
    "base prompt",
    TTL_SECONDS,
    _base,
    lambda catalog_store, text: catalog_store.documents.save(
        documents.BASE_PROMPT, documents.BasePrompt(text=text)
    ),
)
ADVICE = Entity(
    "advisor",
    TTL_SECONDS,
    _advice,
    lambda catalog_store, number: catalog_store.documents.save(
        ADVISOR, Advisor(max_uses_per_turn=int(number))
    ),
    "0",
)


async def _skill(catalog: Catalog) -> str:
    return " ".join(each.description for each in await catalog.skills_of(OWNER))


async def _change_skill(catalog_store: CatalogStore, description: str) -> object:
    content = f"---\nname: deploy\ndescription: {description}\n---\nx"
    # Without a read: some tests hold reads back.
    try:
        return await catalog_store.skills.change(OWNER, "deploy", content)
    except NotFound:
        return await catalog_store.skills.add(OWNER, content)


SKILLS = Entity("user skills", PROMPT_TTL_SECONDS, _skill, _change_skill)
ENTITIES = (PROVIDERS, MODEL, MODELS, DEFAULT, PROMPT, DEPLOYMENT, BASE, ADVICE, SKILLS)
