"""Providers and models that are not in the database: from `chatd.toml`, from the environment, and `scripted`.

They are read when the server starts and can only be changed where they are declared. Their ids are made
from what they are, so that every server with the same declarations knows them by the same ids, and what
one provider wrote never goes to another that has taken its name.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias
from uuid import UUID, uuid5

import structlog
from msgspec import Meta, Struct
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions, EffortRange
from chatd.catalog.models.rows import (
    ModelConfig,
    Prices,
    Provider,
    ProviderId,
    ProviderSettings,
    ProviderType,
)
from chatd.catalog.prices.price_book import context_limit_of
from chatd.catalog.rules.addresses import completed
from chatd.catalog.rules.checks import problem_of_model, problem_of_provider, problem_of_reach
from chatd.domain.message import Effort
from chatd.errors import Misconfigured

log = structlog.get_logger()

_IDS = UUID("6f1b7f0e-6d39-4a3c-9c39-2a9d7a0c5f11")

SCRIPTED = "scripted"
SCRIPTED_LABEL = "Scripted (not an AI)"
SCRIPTED_CONTEXT = 200_000
# Variables that people have set for other programs as well.
VARIABLES: Mapping[str, tuple[str, ProviderType]] = {
    "ANTHROPIC_API_KEY": ("anthropic", ProviderType.ANTHROPIC),
    "OPENAI_API_KEY": ("openai", ProviderType.OPENAI),
    "GEMINI_API_KEY": ("google", ProviderType.GOOGLE),
}

# What a provider offers when the settings do not say it; the one to begin with first.
USUAL_MODELS: Mapping[ProviderType, tuple[str, ...]] = {
    ProviderType.ANTHROPIC: ("claude-sonnet-4-6", "claude-opus-4-7", "claude-haiku-4-5"),
    ProviderType.OPENAI: ("gpt-5.4", "gpt-5.4-mini"),
    ProviderType.GOOGLE: ("gemini-3.1-pro-preview", "gemini-3-flash-preview"),
    ProviderType.SCRIPTED: (SCRIPTED,),
}
# Where it is, if it runs on this machine.
OLLAMA = "ollama"


class ProviderDeclaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[providers]]` table. Its key is given in one of three ways, or not at all."""

    name: str
    type: ProviderType
    display_name: str = ""
    enabled: bool = True
    base_url: str | None = None
    api_key: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    user_keys_allowed: bool = False
    settings: ProviderSettings = ProviderSettings()

    def __repr__(self) -> str:
        # Settings are printed and logged; the key must not be.
        return f"ProviderDeclaration({self.name!r})"


class ModelDeclaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[models]]` table."""

    provider: str
    model: str
    display_name: str = ""
    enabled: bool = True
    default: bool = False
    context_limit: Annotated[int, Meta(gt=0)] | None = None
    compression_threshold: Annotated[int, Meta(ge=0, le=100)] = 70
    options: CallOptions = CallOptions()
    prices: Prices | None = None


class GivenKey:
    """A key that was written down, or found in the environment."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read(self) -> str | None:
        return self._text or None


class KeyFile:
    """A key in a file, which may be replaced while the server runs."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str | None:
        try:
            return self._path.read_text(encoding="utf-8").strip() or None
        except (OSError, UnicodeDecodeError) as error:
            log.warning("key_file.unreadable", path=str(self._path), error=str(error))
            return None


KeySource: TypeAlias = GivenKey | KeyFile


class Declared(Struct, frozen=True, kw_only=True):
    providers: tuple[Provider, ...] = ()
    models: tuple[ModelConfig, ...] = ()
    keys: Mapping[ProviderId, KeySource] = {}
    # Providers that are only there because a variable happens to be set. A stored one of the same name
    # counts instead.
    by_chance: frozenset[ProviderId] = frozenset()


def declare(
    providers: Sequence[ProviderDeclaration] = (),
    models: Sequence[ModelDeclaration] = (),
    environment: Mapping[str, str] | None = None,
    *,
    ollama: Sequence[str] = (),
) -> Declared:
    """Everything that needs no database. Raises Misconfigured, naming what is wrong.

    `ollama` are the models of an Ollama server that was found on this machine.
    """
    environment = environment or {}
    named = {each.name: each for each in providers}
    if len(named) < len(providers):
        raise Misconfigured("Two [[providers]] have the same name.")
    found = dict(_found(environment, named))
    # What is declared is all there is, but for the providers that it mentions.
    wanted = {each.provider for each in models}
    # One that is declared is there even while it does not answer: it may be started later, and again.
    if (ollama or OLLAMA in wanted) and OLLAMA not in named:
        found[OLLAMA] = ProviderDeclaration(name=OLLAMA, type=ProviderType.OLLAMA, display_name="Ollama")
    if providers or models:
        found = {name: each for name, each in found.items() if name in wanted}
    if SCRIPTED not in named:
        found[SCRIPTED] = ProviderDeclaration(
            name=SCRIPTED, type=ProviderType.SCRIPTED, display_name=SCRIPTED_LABEL
        )
    every = {**named, **found}
    if OLLAMA in found and OLLAMA not in wanted:
        models = [*models, *(ModelDeclaration(provider=OLLAMA, model=name) for name in ollama)]
    made = {name: declared_provider(each) for name, each in every.items()}
    return Declared(
        providers=tuple(made.values()),
        models=tuple(_models(made, models)),
        keys={made[name].id: key for name, each in every.items() if (key := _key(each, environment))},
        by_chance=frozenset(made[name].id for name in found if name not in {SCRIPTED, *({OLLAMA} & wanted)}),
    )


def _found(
    environment: Mapping[str, str], named: Mapping[str, ProviderDeclaration]
) -> Iterator[tuple[str, ProviderDeclaration]]:
    for variable, (name, type_) in VARIABLES.items():
        if environment.get(variable, "").strip() and name not in named:
            yield name, ProviderDeclaration(name=name, type=type_, api_key_env=variable)


def notice_of(provider: Provider) -> str | None:
    """What is wrong with a provider that is declared all the same: the others can do without it."""
    problem = problem_of_reach(provider)
    if problem is None:
        return None
    return f"The [[providers]] table {provider.name!r}: {problem.message} {problem.hint}"


def declared_provider(declared: ProviderDeclaration) -> Provider:
    """Raises Misconfigured when it cannot be one."""
    what = f"The [[providers]] table {declared.name!r}"
    if sum(key is not None for key in (declared.api_key, declared.api_key_env, declared.api_key_file)) > 1:
        raise Misconfigured(f"{what} has more than one of api_key, api_key_env and api_key_file.")
    if declared.base_url is not None:
        declared = replace(declared, base_url=completed(declared.base_url))
    provider = Provider(
        id=_id_of(declared),
        type=declared.type,
        name=declared.name,
        display_name=declared.display_name,
        enabled=declared.enabled,
        base_url=declared.base_url,
        settings=declared.settings,
        user_keys_allowed=declared.user_keys_allowed,
        declared=True,
    )
    if problem := problem_of_provider(provider):
        raise Misconfigured(f"{what}: {problem.message}")
    return provider


def _id_of(declared: ProviderDeclaration) -> ProviderId:
    if declared.type is ProviderType.SCRIPTED:
        return declared.name
    return str(uuid5(_IDS, f"{declared.name}\n{declared.type}\n{declared.base_url or ''}"))


def _models(
    providers: Mapping[str, Provider], declarations: Sequence[ModelDeclaration]
) -> Iterator[ModelConfig]:
    if sum(each.default for each in declarations) > 1:
        raise Misconfigured("More than one of the [[models]] says default = true.")
    names = [(each.provider, each.model) for each in declarations]
    if len(set(names)) < len(names):
        raise Misconfigured("Two [[models]] have the same provider and model.")
    for each in declarations:
        provider = providers.get(each.provider)
        if provider is None:
            known = ", ".join(sorted(providers))
            raise Misconfigured(
                f"The [[models]] table {each.model!r} names the provider {each.provider!r}, which is not "
                f"declared. There are {known}."
            )
        yield _model(provider, each)
    for provider in providers.values():
        if provider.name not in {each.provider for each in declarations}:
            for name in USUAL_MODELS.get(provider.type, ()):
                yield _model(provider, ModelDeclaration(provider=provider.name, model=name, options=_OPEN))


# No administrator has set how hard these may think, so users may ask for any effort.
_OPEN = CallOptions(reasoning_effort=EffortRange(max=Effort.MAX))


def _model(provider: Provider, declared: ModelDeclaration) -> ModelConfig:
    scripted = provider.type is ProviderType.SCRIPTED
    usual = (
        SCRIPTED_CONTEXT if scripted else context_limit_of(provider.type, provider.base_url, declared.model)
    )
    model = ModelConfig(
        id=str(uuid5(_IDS, f"{provider.id}\n{declared.model}")),
        provider_id=provider.id,
        model=declared.model,
        display_name=declared.display_name or (SCRIPTED_LABEL if scripted else ""),
        enabled=declared.enabled,
        is_default=declared.default,
        context_limit=declared.context_limit or usual,
        compression_threshold=declared.compression_threshold,
        options=declared.options,
        prices=declared.prices,
        declared=True,
    )
    if problem := problem_of_model(model, provider.type):
        raise Misconfigured(f"The [[models]] table {declared.model!r}: {problem.message}")
    if declared.default and not declared.enabled:
        raise Misconfigured(f"The [[models]] table {declared.model!r} is the default, and not enabled.")
    return model


def _key(declared: ProviderDeclaration, environment: Mapping[str, str]) -> KeySource | None:
    if declared.api_key is not None:
        return GivenKey(declared.api_key)
    if declared.api_key_env is not None:
        text = environment.get(declared.api_key_env, "").strip()
        if not text:
            log.warning("key_variable.empty", provider=declared.name, variable=declared.api_key_env)
        return GivenKey(text)
    if declared.api_key_file is not None:
        return KeyFile(Path(declared.api_key_file).expanduser())
    return None
