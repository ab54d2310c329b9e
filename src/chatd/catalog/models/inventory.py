"""Everything there is to choose from, declared and stored, and the questions to ask of it. Pure."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.models.declared import Declared
from chatd.catalog.models.rows import ModelConfig, ModelId, Provider, ProviderId, ProviderType, Unreadable


class Stored(Struct, frozen=True, kw_only=True):
    """What the database has."""

    providers: tuple[Provider, ...] = ()
    # The names of deleted ones: chats may still name their models.
    former: Mapping[ProviderId, str] = {}
    models: tuple[ModelConfig, ...] = ()
    unreadable_providers: tuple[Unreadable, ...] = ()
    unreadable_models: tuple[Unreadable, ...] = ()
    # What an administrator chose.
    default: ModelId | None = None


class Inventory:
    """Exactly one model is the default, unless nothing at all can be used."""

    def __init__(self, declared: Declared, stored: Stored) -> None:
        self.unreadable_providers = stored.unreadable_providers
        # A row that cannot be read keeps its name as well, so that no declared provider takes its place.
        taken = {each.name for each in stored.providers}
        taken |= {each.name for each in stored.unreadable_providers}
        fixed = [
            each for each in declared.providers if each.id not in declared.by_chance or each.name not in taken
        ]
        names = {each.name for each in fixed}
        # What the operator has written down wins over what was stored under the same name.
        self.providers = (*fixed, *(each for each in stored.providers if each.name not in names))
        self._live = {each.id: each for each in self.providers}
        # Providers that cannot be called any more, by name.
        self._former = {**stored.former, **{each.id: each.name for each in stored.unreadable_providers}}
        every = [*declared.models, *stored.models]
        self._by_chance = declared.by_chance
        self._choice = stored.default
        self._fixed = {each.id for each in declared.models if each.is_default}
        self._default = self._elected([each for each in every if each.provider_id in self._live])
        self.models = tuple(
            replace(each, is_default=each.id == self._default)
            for each in every
            if each.provider_id in self._live
        )
        self._lost = tuple(each for each in every if each.provider_id in self._former)
        here = {*self._live, *(each.id for each in stored.unreadable_providers)}
        self.unreadable_models = (
            *(each for each in stored.unreadable_models if each.provider_id in here),
            *(each for model in self._lost if (each := self._as_its_provider(model)) is not None),
        )
        self._forgotten = tuple(
            each for each in stored.unreadable_models if each.provider_id in stored.former
        )

    @cached_property
    def default(self) -> ModelConfig | None:
        return next((each for each in self.models if each.is_default), None)

    @cached_property
    def default_is_fixed(self) -> bool:
        """The operator has said in the settings file which one it is."""
        return self._default in self._fixed

    @cached_property
    def provider_names(self) -> frozenset[str]:
        """The names that a new provider cannot have."""
        taken = {each.name for each in self.providers} | {each.name for each in self.unreadable_providers}
        return frozenset(taken)

    @cached_property
    def model_names(self) -> frozenset[str]:
        """As above."""
        taken = {self.name_of(each) for each in self.models}
        return frozenset(taken | {self.name_of(each) for each in self.unreadable_models})

    def provider(self, provider_id: ProviderId) -> Provider | None:
        return self._live.get(provider_id)

    def model(self, model_id: ModelId) -> ModelConfig | None:
        return next((each for each in self.models if each.id == model_id), None)

    def unreadable_provider(self, provider_id: ProviderId) -> Unreadable | None:
        return next((each for each in self.unreadable_providers if each.id == provider_id), None)

    def unreadable_model(self, model_id: ModelId) -> Unreadable | None:
        return next((each for each in self.unreadable_models if each.id == model_id), None)

    def name_of(self, model: ModelConfig | Unreadable) -> str:
        """As people write it: provider/model."""
        live = self._live.get(model.provider_id)
        own = model.model if isinstance(model, ModelConfig) else model.name
        return f"{live.name if live is not None else self._former[model.provider_id]}/{own}"

    def named(self, name: str) -> ModelConfig | Unreadable | None:
        """The model of this name; of one that a deleted provider had, if there is no other.

        The model's own name will do where only one provider has it.
        """
        for models in (self.models, self.unreadable_models, self._lost[::-1], self._forgotten):
            for each in models:
                if self.name_of(each) == name:
                    return each
        alone = [each for each in self.models if each.model == name]
        return alone[0] if len(alone) == 1 else None

    def _as_its_provider(self, model: ModelConfig) -> Unreadable | None:
        """A model is of no use without its provider, however well it can be read itself."""
        provider = self.unreadable_provider(model.provider_id)
        if provider is None:
            return None
        return Unreadable(
            id=model.id,
            name=model.model,
            provider_id=model.provider_id,
            reason=f"Its provider cannot be read. {provider.reason}",
        )

    def _is_on(self, model: ModelConfig) -> bool:
        provider = self._live.get(model.provider_id)
        return model.enabled and provider is not None and provider.enabled

    def _elected(self, models: Iterable[ModelConfig]) -> ModelId | None:
        """The order is the policy; within a rank, the first that was there."""
        candidates = sorted((each for each in models if self._is_on(each)), key=self._rank)
        return candidates[0].id if candidates else None

    def _rank(self, model: ModelConfig) -> int:
        if model.id in self._fixed:
            return 0
        if model.id == self._choice:
            return 1
        provider = self._live[model.provider_id]
        if provider.type is ProviderType.SCRIPTED:
            return 5
        if provider.type is ProviderType.OLLAMA and provider.id in self._by_chance:
            # It comes and goes while the server runs: what administrators have added does not give way.
            return 4
        return 2 if model.declared else 3
