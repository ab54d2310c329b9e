"""Which model a child has: the one that is asked for, the owner's choice, the deployment's, the parent's."""

from typing import Any

import pytest
from msgspec import Struct

from chatd.agent.families.child_models import ChildModels
from chatd.catalog.documents import SUBAGENTS, ChildModel, OwnSubagents, Subagents
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.models.declared import ModelDeclaration, ProviderDeclaration, declare
from chatd.catalog.models.rows import ProviderType
from chatd.catalog.models.store import CatalogStore
from chatd.domain.message import Effort
from chatd.domain.profile.agent_type import AgentType
from chatd.errors import BadInput
from chatd.storage.transactions.transact import Store
from chatd.tools.agents.models import ModelChoice
from tests.support.catalog_stores import some_catalog_store
from tests.traceability import proves
from tests.words import OWNER

SOME = ChildModel(model="some/model", reasoning_effort=Effort.HIGH)
OTHER = ChildModel(model="other/model")
GONE = ChildModel(model="gone/model")


@pytest.fixture
def catalog_store(store: Store) -> CatalogStore:
    return some_catalog_store(store)


async def chosen(
    catalog_store: CatalogStore,
    deployment: Subagents,
    own: OwnSubagents | None = None,
    type_: AgentType = AgentType.EXPLORE,
) -> ModelChoice | None:
    await catalog_store.documents.save(SUBAGENTS, deployment)
    if own is not None:
        await catalog_store.documents.save_subagents_of(OWNER, own)
    return await ChildModels(catalog_store).chosen_for(type_, OWNER)


@proves("subagents", 15)
async def test_what_the_deployment_has_set_for_a_type_counts_for_that_type(
    catalog_store: CatalogStore,
) -> None:
    deployment = Subagents(explore=SOME)

    assert await chosen(catalog_store, deployment) == ModelChoice(model="some/model", effort=Effort.HIGH)
    assert await chosen(catalog_store, deployment, type_=AgentType.GENERAL) is None


@proves("subagents", 16, 17)
async def test_a_users_own_choice_counts_first_where_users_may_choose(catalog_store: CatalogStore) -> None:
    own = OwnSubagents(explore=OTHER)

    allowed = await chosen(catalog_store, Subagents(explore=SOME, own_allowed=True), own)
    refused = await chosen(catalog_store, Subagents(explore=SOME), own)

    assert (allowed, refused) == (
        ModelChoice(model="other/model"),
        ModelChoice(model="some/model", effort=Effort.HIGH),
    )


@proves("subagents", 18)
async def test_a_user_who_follows_the_chat_passes_over_the_deployment(catalog_store: CatalogStore) -> None:
    deployment = Subagents(explore=SOME, own_allowed=True)

    assert await chosen(catalog_store, deployment, OwnSubagents(explore="chat")) is None
    assert await chosen(catalog_store, deployment, OwnSubagents()) is not None


@proves("subagents", 19)
async def test_a_choice_that_cannot_be_used_gives_way_to_the_next(catalog_store: CatalogStore) -> None:
    deployment = Subagents(explore=SOME, own_allowed=True)

    assert await chosen(catalog_store, deployment, OwnSubagents(explore=GONE)) == ModelChoice(
        model="some/model", effort=Effort.HIGH
    )
    assert await chosen(catalog_store, Subagents(explore=GONE), OwnSubagents()) is None


class Strange(Struct):
    """What a newer program may have written."""

    explore: Any


@proves("subagents", 20)
async def test_a_choice_that_cannot_be_read_gives_way_to_the_next(
    catalog_store: CatalogStore, store: Store
) -> None:
    await catalog_store.documents.save(SUBAGENTS, Subagents(explore=SOME, own_allowed=True))
    await store.db.write(lambda tx: tx.run("save_user_setting", OWNER, SUBAGENTS, '{"explore": 7}'))
    models = ChildModels(catalog_store)

    unreadable_own = await models.chosen_for(AgentType.EXPLORE, OWNER)
    await catalog_store.documents.save(SUBAGENTS, Strange(explore=[7]))
    unreadable_both = await models.chosen_for(AgentType.EXPLORE, OWNER)

    assert unreadable_own == ModelChoice(model="some/model", effort=Effort.HIGH)
    assert unreadable_both is None


@proves("subagents", 21)
async def test_a_model_that_is_asked_for_by_name_is_had_or_refused(catalog_store: CatalogStore) -> None:
    models = ChildModels(catalog_store)

    assert await models.admit("other/model", OWNER) == "other/model"
    with pytest.raises(BadInput, match="There is no model 'gone/model'"):
        await models.admit("gone/model", OWNER)


@proves("subagents", 22)
async def test_a_model_without_a_key_is_refused_with_the_name_of_its_provider(store: Store) -> None:
    keyless = ProviderDeclaration(name="keyless", type=ProviderType.ANTHROPIC)
    model = ModelDeclaration(provider="keyless", model="model", context_limit=1000)
    models = ChildModels(CatalogStore(store, declare([keyless], [model]), Secrets(bytes(32))))

    with pytest.raises(BadInput, match="keyless"):
        await models.admit("keyless/model", OWNER)
    assert "keyless/model" not in {offer.model for offer in await models.usable(OWNER)}


async def test_the_models_that_a_user_can_use_are_listed_with_what_they_can_do(
    catalog_store: CatalogStore,
) -> None:
    usable = await ChildModels(catalog_store).usable(OWNER)

    assert {"some/model", "other/model", "scripted/scripted"} <= {offer.model for offer in usable}
    (some,) = [offer for offer in usable if offer.model == "some/model"]
    assert (some.provider, some.context_limit) == ("some", 1000)
